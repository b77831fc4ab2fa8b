package planner

import (
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/lang"
)

func planOf(t *testing.T, text string) *Flow {
	t.Helper()
	file, found := lang.Parse(&lang.Source{Name: "orders.flow", Text: text})
	if found.HasErrors() {
		t.Fatal(found)
	}
	plan, found := Compile([]*lang.File{file}, Options{Kinds: []connectors.Kind{nats.Kind()}})
	if plan == nil {
		t.Fatal(found)
	}
	return plan.Flows[0]
}

const closedSchema = `schema { id: int, price: decimal?, at: timestamp, day: date?, ok: bool, raw: bytes?, doc: json?,
	cust: { tier: string?, zip: int }?, tags: [string]?, parts: [{ sku: string }] }`

// TestKnownColumnsAreThoseOfTheRun holds what the plan says of a declared schema
// against what the steps are bound to.
func TestKnownColumnsAreThoseOfTheRun(t *testing.T) {
	for _, steps := range []string{
		``,
		`where id > 1`,
		`select { id, ... }`,
		`select { ..., id: string(id) }`,
		`select { tier: cust.tier, zips: [cust.zip], rest: parts, n: msg.sequence, _flow_time } where n > 1`,
		`select { sum: id + 1.5, half: id / 2, price, cheap: price < 3, year: year(at), first: tags[0], doc: doc.a, r: { a: id, b: tags } }`,
		`drop tags, cust select { x: raw, y: at - duration("1h"), z: day, ... } drop doc`,
	} {
		f := planOf(t, `from nats "orders.>" `+closedSchema+` `+steps+` to nats stream "OUT" subject "out.v1"`)
		pipeline, found := f.Bind(f.Schema.Arrow())
		if pipeline == nil {
			t.Fatalf("%s: %v", steps, found)
		}
		var bound rows.Schema
		for _, field := range pipeline.Output.Fields() {
			bound.Columns = append(bound.Columns, rows.Column{Name: field.Name, Type: typeOfField(field)})
		}
		if got, want := f.knownLast().String(), bound.String(); got != want {
			t.Errorf("%s\n got %s\nwant %s", steps, got, want)
		}
	}
}

func TestKnownColumnsBeforeAnyMessage(t *testing.T) {
	for _, c := range []struct{ flow, want string }{
		{``, `the columns of the first message`},
		{`drop a`, `the columns of the first message`},
		{`select { a, b: 1 }`, `{ a: untyped, b: int }; the first message types what is untyped`},
		{`select { b: msg.sequence + 1 }`, `{ b: int }`},
		{`select { b: a ?? 0, ... }`, `{ b: untyped, ... }; the first message types what is untyped`},
		{`select { a } select { b: a, c: "x" } drop b`, `{ c: string }`},
		{`schema { a: int, ... } select { b: a * 2, ... }`, `{ b: int, a: int, ... }`},
		{`schema { a: int, ... }`, `{ a: int, ... }`},
		{`select { "odd name": 1 } drop "odd name"`, `{  }`},
	} {
		f := planOf(t, `from nats "orders.>" `+c.flow+` to nats stream "OUT" subject "out.v1"`)
		if got := f.knownLast().String(); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.flow, got, c.want)
		}
	}
}
