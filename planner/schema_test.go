package planner_test

import (
	"testing"

	"github.com/flowlang/flow/lang"
)

func TestEnvelopeInASchema(t *testing.T) {
	for _, schema := range []string{
		`schema { _flow_subject: string }`,
		`schema { _flow_anything: string?, ... }`,
	} {
		text := `from nats "orders.>" ` + schema + ` to nats stream "OUT" subject "out.v1"`
		if _, found := compile(t, &lang.Source{Name: "orders.flow", Text: text}); !found.HasErrors() {
			t.Errorf("members of the input that begin with `_flow_` are removed, so the column would never have a value: %s", schema)
		}
	}
}
