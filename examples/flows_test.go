package examples_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/cmd/flowc/flowtest"
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
			if plan := compile(t, path); len(plan.Flows) == 0 {
				t.Error("the plan has no flows")
			}
		})
	}
}

// TestFlows runs the test of every example, which each has.
func TestFlows(t *testing.T) {
	flows, err := filepath.Glob("*.flow")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	for _, flow := range flows {
		beside, err := flowtest.Find([]string{flow})
		if err != nil {
			t.Error(err)
		}
		for _, path := range beside {
			tests[path] = true
		}
	}
	all, err := flowtest.Find([]string{"."})
	if err != nil {
		t.Fatal(err)
	}
	flowtest.RunAll(t.Context(), all, func(r *flowtest.Result) {
		if !tests[r.Path] {
			t.Errorf("%s tests none of the flows", r.Path)
		}
		if !r.Passed() {
			t.Errorf("%s: %v\n%v", r.Path, r.Bad, r.Failures)
		}
	})
}

// TestGalleryIsListed keeps the table of the folder's README complete.
func TestGalleryIsListed(t *testing.T) {
	flows, err := filepath.Glob("*.flow")
	if err != nil {
		t.Fatal(err)
	}
	readme := read(t, "README.md")
	for _, flow := range flows {
		if !strings.Contains(readme, "| ["+flow+"]("+flow+") |") {
			t.Errorf("README.md does not list %s", flow)
		}
	}
	if rows := strings.Count(readme, "\n| ["); rows != len(flows) {
		t.Errorf("README.md lists %d flows, and there are %d", rows, len(flows))
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
