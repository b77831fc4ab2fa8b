package examples_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// TestFlowsCompile plans every example, which needs no server.
func TestFlowsCompile(t *testing.T) {
	paths, err := filepath.Glob("*.flow")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("found no flows")
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			plan := compile(t, path)
			if len(plan.Flows) != 1 {
				t.Errorf("the plan has %d flows, expected 1", len(plan.Flows))
			}
		})
	}
}

func TestResources(t *testing.T) {
	for path, want := range map[string]string{
		"orders.flow":     "orders",
		"one-stream.flow": "orders",
		"two-shapes.flow": "orders_created orders_paid",
		"exports.flow":    "created paid",
	} {
		t.Run(path, func(t *testing.T) {
			flow := compile(t, path).Flows[0]
			if got := strings.Join(flow.Resources(), " "); got != want {
				t.Errorf("the resources are %q, expected %q", got, want)
			}
		})
	}
}

// TestReadmeShowsTheExamples keeps the programs of the README those that run here.
func TestReadmeShowsTheExamples(t *testing.T) {
	readme := read(t, "../README.md")
	for _, path := range []string{"orders.flow", "one-stream.flow", "two-shapes.flow", "exports.flow"} {
		if program := strings.TrimSpace(read(t, path)); !strings.Contains(readme, program) {
			t.Errorf("the README does not show %s as it stands", path)
		}
	}
}

// TestReadmeShowsTheDiagnostics compiles the README's bad program.
func TestReadmeShowsTheDiagnostics(t *testing.T) {
	blocks := strings.Split(read(t, "../README.md"), "```\n")
	shown := slices.IndexFunc(blocks, func(b string) bool { return strings.HasPrefix(b, "bad.flow:") })
	if shown < 2 {
		t.Fatal("the README shows no diagnostics after their program")
	}
	file, _ := lang.Parse(&lang.Source{Name: "bad.flow", Text: blocks[shown-2]})
	_, findings := planner.Compile([]*lang.File{file}, options())
	var rendered strings.Builder
	if err := lang.Render(&rendered, findings, lang.RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	if rendered.String() != blocks[shown] {
		t.Errorf("the README shows\n%s\nexpected\n%s", blocks[shown], rendered.String())
	}
}

func options() planner.Options {
	return planner.Options{Kinds: []connectors.Kind{nats.Kind()}}
}

func compile(t *testing.T, path string) *planner.Plan {
	t.Helper()
	file, findings := lang.Parse(&lang.Source{Name: path, Text: read(t, path)})
	if len(findings) > 0 {
		t.Fatalf("parsing: %v", findings)
	}
	plan, findings := planner.Compile([]*lang.File{file}, options())
	if len(findings) > 0 {
		t.Fatalf("planning: %v", findings)
	}
	return plan
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
