package planner_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

func TestHostsOfAFileAreJudged(t *testing.T) {
	text := `connection a nats url "nats://inside:4222,tls://outside:4222"
from a "orders.>" to nats stream "OUT" subject "out.v1"`
	allow := func(host string) error {
		if host == "outside" {
			return errors.New("it is not on the list")
		}
		return nil
	}
	_, found := planner.Compile([]*lang.File{parse(t, "orders.flow", text)}, planner.Options{Kinds: kinds, AllowHost: allow})
	shown := rendered(t, found)
	if !strings.Contains(shown, `orders.flow:1:23`) || !strings.Contains(shown, `the host "outside" must not be dialed: it is not on the list`) {
		t.Errorf("expected the host at its place, found\n%s", shown)
	}
	plan, found := planner.Compile([]*lang.File{parse(t, "orders.flow", strings.ReplaceAll(text, ",tls://outside:4222", ""))}, planner.Options{Kinds: kinds, AllowHost: allow})
	if found.HasErrors() {
		t.Fatal(found)
	}
	// Every connection knows of it, the default one too: what is found later is judged then.
	for _, c := range plan.Flows[0].Connections() {
		if c.Settings.AllowHost("outside") == nil || c.Settings.AllowHost("inside") != nil {
			t.Errorf("connection %s does not know which hosts are allowed", c.Name)
		}
	}
	if (connectors.Settings{}).AllowHost("outside") != nil {
		t.Error("expected every host to be allowed where nobody says otherwise")
	}
}
