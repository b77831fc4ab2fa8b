package main

import (
	"encoding/json"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// pasted is the schema of a flow that has the clause in it.
func pasted(t *testing.T, clause string) rows.Schema {
	t.Helper()
	text := `from nats "orders.>" ` + clause + ` to nats stream "OUT" subject "out.v1"`
	file, findings := lang.Parse(&lang.Source{Name: "pasted.flow", Text: text})
	if findings.HasErrors() {
		t.Fatalf("%s\n%v", text, findings)
	}
	plan, findings := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{nats.Kind()}})
	if findings.HasErrors() {
		t.Fatalf("%s\n%v", text, findings)
	}
	return plan.Flows[0].Schema
}

// sameTypes compares what a flow can declare of types; one that no message has
// fixed is declared as json.
func sameTypes(kept, declared rows.Type) bool {
	kind := kept.Kind
	if kind == rows.Open {
		kind = rows.JSON
	}
	if kind != declared.Kind || kept.Nullable != declared.Nullable || kept.Open != declared.Open || (kept.Elem == nil) != (declared.Elem == nil) {
		return false
	}
	return (kept.Elem == nil || sameTypes(*kept.Elem, *declared.Elem)) && sameColumns(kept.Fields, declared.Fields)
}

func sameColumns(kept, declared []rows.Column) bool {
	if len(kept) != len(declared) {
		return false
	}
	for i, c := range kept {
		if c.Name != declared[i].Name || !sameTypes(c.Type, declared[i].Type) {
			return false
		}
	}
	return true
}

// FuzzSchemaClause lets messages fix a schema, and pastes what is shown of it.
func FuzzSchemaClause(f *testing.F) {
	for _, message := range []string{
		`{"id":1,"amount":1.5,"note":null,"ok":true,"tags":[],"items":[{"sku":"a","of":{"x":[[1]]}}]}`,
		`{"from":1,"schema":2,"to":3,"untyped":null,"":4,"a b":5,"...":6,"a.b":7}`,
		`{"\u001b[2J":1,"\u202e":2,"\"":3,"\\":4,"\u0000":5,"ä":6,"\ud83d\ude00":7,"<id>":8,"{resource}":9,"param.x":10,"<param.x>":11}`,
		`{"big":9223372036854775807,"e":1e3}`,
		`{}`,
	} {
		f.Add([]byte(message))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		decoder := rows.NewDecoder(rows.Schema{})
		if err := decoder.Append(message); err != nil || decoder.Schema().Shape != rows.Object {
			t.Skip()
		}
		kept := decoder.Schema()
		clause := schemaClause(kept)
		if lang.Printable(clause) != clause {
			t.Errorf("%q would act on a terminal", clause)
		}
		if got := pasted(t, clause); !sameColumns(kept.Columns, got.Columns) || got.Open != kept.Open {
			text, _ := json.Marshal(kept)
			t.Errorf("%s\nexpected %s, found %s", clause, text, got)
		}
	})
}
