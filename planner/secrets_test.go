package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

func TestNoSecretInAPlan(t *testing.T) {
	plan, found := planner.Compile([]*lang.File{parse(t, "orders.flow", plainFlow)}, planner.Options{
		Kinds:    kinds,
		Defaults: map[string]connectors.Settings{"nats": {"auth_mode": "token", "token": connectors.Given("s3cr3t")}},
	})
	if plan == nil {
		t.Fatal(found)
	}
	var text strings.Builder
	if err := plan.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	f := plan.Flows[0]
	fmt.Fprintln(&text, f.Options())
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		fmt.Fprintf(&text, verb, f.Sources[0].Connection.Settings)
	}
	if strings.Contains(text.String(), "s3cr3t") {
		t.Errorf("the secret shows in\n%s", &text)
	}
}
