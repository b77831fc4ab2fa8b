package planner_test

import (
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

var kinds = []connectors.Kind{nats.Kind()}

// parse parses a program that must be free of syntax errors.
func parse(t testing.TB, name, text string) *lang.File {
	t.Helper()
	file, found := lang.Parse(&lang.Source{Name: name, Text: text})
	if found.HasErrors() {
		t.Fatalf("%s has syntax errors:\n%v", name, found)
	}
	return file
}

// compile plans a program that must be free of syntax errors.
func compile(t testing.TB, source *lang.Source) (*planner.Plan, lang.Diagnostics) {
	t.Helper()
	return planner.Compile([]*lang.File{parse(t, source.Name, source.Text)}, planner.Options{Kinds: kinds})
}

// planned is the one flow of a program without any findings.
func planned(t testing.TB, text string) *planner.Flow {
	t.Helper()
	plan, found := compile(t, &lang.Source{Name: "orders.flow", Text: text})
	if len(found) > 0 {
		t.Fatalf("%s\n%v", text, found)
	}
	return plan.Flows[0]
}

func rendered(t testing.TB, found lang.Diagnostics) string {
	t.Helper()
	var text strings.Builder
	if err := lang.Render(&text, found, lang.RenderOptions{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// checkFindings checks what holds for every diagnostic.
func checkFindings(t testing.TB, found lang.Diagnostics) {
	t.Helper()
	for _, d := range found {
		if d.Source == nil {
			t.Errorf("%s: no source", d.Code)
			continue
		}
		if d.Span.Start < 0 || d.Span.Start > d.Span.End || d.Span.End > len(d.Source.Text) {
			t.Errorf("%s: span %v outside the source of %d bytes", d.Code, d.Span, len(d.Source.Text))
		}
		if _, ok := lang.Explain(d.Code); !ok {
			t.Errorf("%s has no explanation", d.Code)
		}
		if d.Summary == "" || strings.HasSuffix(d.Summary, ".") || strings.Contains(d.Summary, "illegal") {
			t.Errorf("%s: summary %q", d.Code, d.Summary)
		}
	}
}
