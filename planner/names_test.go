package planner_test

import (
	"testing"

	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

func TestFlowNameFromFile(t *testing.T) {
	for file, want := range map[string]string{
		"orders.flow":          "orders",
		"orders":               "orders",
		"orders.txt":           "orders",
		"/etc/flow/a-b_c.flow": "a-b_c",
		"../x/Orders2.flow":    "Orders2",
		"-":                    "stdin",
	} {
		plan, found := compile(t, &lang.Source{Name: file, Text: plainFlow})
		if plan == nil || plan.Flows[0].Flow != want {
			t.Errorf("%s: expected the flow %s, found %v %v", file, want, plan, found)
		}
	}
	for _, file := range []string{"", ".flow", "a b.flow", "a.b.flow", "-a.flow", "größe.flow", "a\x1b[31m.flow"} {
		if _, found := compile(t, &lang.Source{Name: file, Text: plainFlow}); len(found) != 1 || found[0].Code != "F2104" {
			t.Errorf("%q: expected one finding about the flow's name, found %v", file, found)
		}
	}
}

func TestNamespace(t *testing.T) {
	files := []*lang.File{parse(t, "orders.flow", plainFlow)}
	for given, want := range map[string]string{"": planner.DefaultNamespace, "team-a": "team-a"} {
		plan, found := planner.Compile(files, planner.Options{Kinds: kinds, Namespace: given})
		if plan == nil || plan.Flows[0].Namespace != want {
			t.Errorf("%q: expected the namespace %s, found %v", given, want, found)
		}
	}
}

func TestTwoFlowsOfOneName(t *testing.T) {
	first := parse(t, "a/orders.flow", plainFlow)
	second := parse(t, "b/orders.flow", `from nats "stock.>" to nats stream "OUT2" subject "out.v2"`)
	_, found := planner.Compile([]*lang.File{first, second}, planner.Options{Kinds: kinds})
	for _, d := range found {
		if d.Code == "F2103" && d.Source == second.Source {
			return
		}
	}
	t.Errorf("expected the second file to be told that its name is taken, found %v", found)
}

func TestConnectionsBelongToTheirFile(t *testing.T) {
	text := "connection w nats url \"nats://w:4222\"\nfrom w \"orders.>\" to w stream \"OUT\" subject \"out.v1\""
	files := []*lang.File{parse(t, "one.flow", text), parse(t, "two.flow", text)}
	_, found := planner.Compile(files, planner.Options{Kinds: kinds})
	for _, d := range found {
		if d.Code == "F2103" {
			t.Errorf("two files may call a connection the same: %s", d.Summary)
		}
	}
	files[1] = parse(t, "two.flow", `from w "orders.>" to nats stream "OUT" subject "out.v1"`)
	_, found = planner.Compile(files, planner.Options{Kinds: kinds})
	for _, d := range found {
		if d.Code == "F2101" && d.Source == files[1].Source {
			return
		}
	}
	t.Errorf("expected the second file not to know the first one's connection, found %v", found)
}

func TestOneMistakeOneFinding(t *testing.T) {
	_, found := compile(t, &lang.Source{Name: "orders.flow", Text: `connection warehouse natz url "nats://w:4222"
from warehouse "orders.>" to warehouse stream "OUT" subject "out.v1"`})
	if len(found) != 1 {
		t.Errorf("a connection of an unknown kind is no unknown connection as well:\n%s", rendered(t, found))
	}
}

func TestParameterOfOneFile(t *testing.T) {
	files := []*lang.File{
		parse(t, "one.flow", "param min int = 1\n"+plainFlow),
		parse(t, "two.flow", `from nats "stock.>" to nats stream "OUT" subject "out.v2"`),
	}
	_, found := planner.Compile(files, planner.Options{Kinds: kinds, Params: map[string]string{"min": "2"}})
	if found.HasErrors() {
		t.Errorf("a parameter that one of the files has is refused:\n%s", rendered(t, found))
	}
}

func TestFileGivenTwice(t *testing.T) {
	file := parse(t, "orders.flow", plainFlow)
	_, found := planner.Compile([]*lang.File{file, parse(t, "orders.flow", plainFlow)}, planner.Options{Kinds: kinds})
	if len(found) != 1 || found[0].Code != "F2103" || found[0].Summary != "the file `orders.flow` is given twice" {
		t.Errorf("expected to be told that the file is given twice, found:\n%s", rendered(t, found))
	}
}

func TestParameterWithAMistakeHasNoFollowers(t *testing.T) {
	file := parse(t, "orders.flow", "param day list\n"+`from nats "orders.>" where id > param.day to nats stream "OUT" subject "out.<param.day>"`)
	for _, params := range []map[string]string{nil, {}, {"day": "1"}} {
		_, found := planner.Compile([]*lang.File{file}, planner.Options{Kinds: kinds, Params: params})
		if len(found) != 1 || found[0].Code != "F2108" {
			t.Errorf("%v: expected one finding about the type, found:\n%s", params, rendered(t, found))
		}
	}
}
