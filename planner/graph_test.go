package planner_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

func TestFormats(t *testing.T) {
	golden(t, "formats", func(t *testing.T, source *lang.Source) string {
		plan, found := compile(t, source)
		if plan == nil {
			t.Fatalf("no plan:\n%s", rendered(t, found))
		}
		var out strings.Builder
		for _, f := range plan.Flows {
			text, err := f.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var indented bytes.Buffer
			if err := json.Indent(&indented, text, "", "  "); err != nil {
				t.Fatal(err)
			}
			out.Write(indented.Bytes())
		}
		mermaid, dot := drawings(t, plan)
		return out.String() + mermaid + dot
	})
}

// drawings are the plan as Mermaid and as DOT, both of them checked.
func drawings(t *testing.T, plan *planner.Plan) (mermaid, dot string) {
	t.Helper()
	var m, d strings.Builder
	if err := errors.Join(plan.WriteMermaid(&m), plan.WriteDOT(&d)); err != nil {
		t.Fatal(err)
	}
	if err := checkMermaid(m.String()); err != nil {
		t.Errorf("%v in\n%s", err, m.String())
	}
	if err := checkDOT(d.String()); err != nil {
		t.Errorf("%v in\n%s", err, d.String())
	}
	return m.String(), d.String()
}

var (
	quotedDOT   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	nodeDOT     = regexp.MustCompile(`^(\w+) \[shape=\w+, label=""\];$`)
	edgeDOT     = regexp.MustCompile(`^(\w+) -> (\w+)(?: \[label=""\])?;$`)
	frameDOT    = regexp.MustCompile(`^(digraph \w+ \{|subgraph \w+ \{|rankdir=LR;|label="";|\})$`)
	lineMermaid = regexp.MustCompile(`^(flowchart LR|subgraph \w+\[""\]|\w+(\[""\]|\(\[""\]\))|\w+ -->(\|""\|)? \w+|end)$`)
	textMermaid = regexp.MustCompile(`"[^"]*"`)
	safeMermaid = regexp.MustCompile(`^"([\pL\p{Nd} ._,:/+-]|<br/>|#\d+;)*"$`)
)

// checkDOT knows the part of DOT that plans are written in.
func checkDOT(text string) error {
	declared := map[string]bool{}
	depth := 0
	for line := range strings.Lines(quotedDOT.ReplaceAllString(text, `""`)) {
		line = strings.TrimSpace(line)
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		if node := nodeDOT.FindStringSubmatch(line); node != nil {
			declared[node[1]] = true
		} else if edge := edgeDOT.FindStringSubmatch(line); edge != nil {
			if !declared[edge[1]] || !declared[edge[2]] {
				return fmt.Errorf("an edge without a node: %s", line)
			}
		} else if !frameDOT.MatchString(line) {
			return fmt.Errorf("unexpected line %q", line)
		}
	}
	if depth != 0 {
		return fmt.Errorf("%d braces are open", depth)
	}
	return nil
}

// checkMermaid holds that no text leaves its quotes.
func checkMermaid(text string) error {
	for line := range strings.Lines(textMermaid.ReplaceAllString(text, `""`)) {
		if line = strings.TrimSpace(line); !lineMermaid.MatchString(line) {
			return fmt.Errorf("unexpected line %q", line)
		}
	}
	for _, quoted := range textMermaid.FindAllString(text, -1) {
		if !safeMermaid.MatchString(quoted) {
			return fmt.Errorf("a character that means something in %s", quoted)
		}
	}
	return nil
}

func TestSecretsAreInNoFormat(t *testing.T) {
	plan, found := compile(t, &lang.Source{Name: "orders.flow", Text: `connection w nats auth_mode token token env "W_TOKEN"
from w "orders.>" to w stream "OUT" subject "out.v1"`})
	if plan == nil {
		t.Fatal(found)
	}
	t.Setenv("W_TOKEN", "s3cr3t")
	text, err := plan.Flows[0].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	mermaid, dot := drawings(t, plan)
	if strings.Contains(string(text)+mermaid+dot, "s3cr3t") {
		t.Errorf("a secret is in the plan:\n%s\n%s\n%s", text, mermaid, dot)
	}
	if !strings.Contains(string(text), `"token":"env \"W_TOKEN\""`) {
		t.Errorf("the plan does not say where the token comes from:\n%s", text)
	}
}

// FuzzNamesInDrawings puts any name and any text into each format.
func FuzzNamesInDrawings(f *testing.F) {
	for _, name := range []string{"id", "say \"hi\"", `a\`, "a\nb", "#quot;", "<br/>", "`md`", "]}|;--> x", "\x1b[2J", "\u202e", "größe"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) || len(name) > 1000 {
			t.Skip("a flow file is text")
		}
		quoted := strconv.Quote(name)
		file, found := lang.Parse(&lang.Source{Name: "orders.flow", Text: `from nats "orders.>" select { ` + quoted + `: 1 } to nats stream "OUT" subject "out.v1" when ` + quoted + ` == "x"`})
		if found.HasErrors() {
			t.Skip("no flow")
		}
		plan, _ := planner.Compile([]*lang.File{file}, planner.Options{Kinds: kinds})
		if plan == nil {
			t.Skip("no plan")
		}
		drawings(t, plan)
		text, err := plan.Flows[0].MarshalJSON()
		if err != nil || !json.Valid(text) {
			t.Errorf("%v: %s", err, text)
		}
	})
}
