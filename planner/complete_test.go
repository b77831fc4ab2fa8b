package planner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

func TestScopeAt(t *testing.T) {
	declared := "param least float = 0\nparam tag string?\nschema order { id: string, amount: float?, ... }\n"
	for name, test := range map[string]struct{ text, want string }{
		"before any flow":          {declared + "¦", ""},
		"a declared schema":        {declared + "from nats \"a\" schema order where ¦id == \"\"", "id: string, amount: float?"},
		"a schema in the flow":     {"from nats \"a\" schema { n: int } where ¦n > 1", "n: int"},
		"an unknown schema":        {"from nats \"a\" schema other where ¦n > 1", ""},
		"no schema":                {"from nats \"a\" where ¦n > 1", ""},
		"behind a select":          {declared + "from nats \"a\" schema order select { total: amount * 2, id } where ¦", "total: float?, id: string"},
		"before a select":          {declared + "from nats \"a\" schema order where ¦true select { id }", "id: string, amount: float?"},
		"within a select":          {declared + "from nats \"a\" schema order select { id, x: ¦amount }", "id: string, amount: float?"},
		"behind a drop":            {declared + "from nats \"a\" schema order drop id to ¦", "amount: float?"},
		"behind a broken clause":   {declared + "from nats \"a\" schema order where and select { id } where ¦", "id: string"},
		"in the second flow":       {declared + "flow a from nats \"a\" schema order to nats flow b from nats \"b\" schema { n: int } where ¦", "n: int"},
		"a type that is not known": {"from nats \"a\" select { x } where ¦", "x: untyped"},
		"a schema with mistakes":   {"from nats \"a\" schema { n: int, m: what, _flow_x: int } where ¦", "n: int, _flow_x: int"},
	} {
		before, after, _ := strings.Cut(test.text, "¦")
		file, _ := lang.Parse(&lang.Source{Name: "a.flow", Text: before + after})
		scope := planner.ScopeAt(file, len(before))
		if got := described(scope.Columns); got != test.want {
			t.Errorf("%s: expected the columns %q, found %q", name, test.want, got)
		}
		if got := described(scope.Params); strings.HasPrefix(test.text, declared) && got != "least: float, tag: string?" {
			t.Errorf("%s: found the parameters %q", name, got)
		}
	}
}

func described(columns []rows.Column) string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = c.Name + ": " + c.Type.String()
	}
	return strings.Join(texts, ", ")
}

// TestNamesOfTheMessage holds the lists against what an expression says it knows.
func TestNamesOfTheMessage(t *testing.T) {
	members := append(names(planner.MessageMembers()), "headers")
	for text, list := range map[string][]string{"msg.zzzzzzzzzzzz": members, "_flow_zzzzzzzzzzzz": names(planner.EnvelopeColumns())} {
		parsed, _ := expression.Parse(text)
		_, problems := parsed.Compile(expression.Environment{Schema: rows.Schema{}.Arrow()})
		if len(problems) != 1 {
			t.Fatalf("%s: expected one problem, found %v", text, problems)
		}
		known := strings.Split(strings.TrimPrefix(problems[0].Help, "known: "), ", ")
		slices.Sort(known)
		slices.Sort(list)
		if !slices.Equal(known, list) {
			t.Errorf("%s: an expression knows %v, and the list is %v", text, known, list)
		}
	}
}

func names(columns []rows.Column) []string {
	var all []string
	for _, c := range columns {
		all = append(all, c.Name)
	}
	return all
}

func TestTypeNamesAreTypes(t *testing.T) {
	for _, name := range planner.TypeNames() {
		planned(t, "from nats \"a\" schema { c: "+name+" } to nats stream \"A\" subject \"b\"")
	}
}
