package planner_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/flowlang/flow/connectors"
)

func TestLocate(t *testing.T) {
	f := planned(t, `from nats "orders.>", nats "stock.>" ack_wait 5s to nats stream "OUT" subject "out.v1" to nats stream "OUT2" subject "out.v2"`)
	failed := func(role connectors.Role, spec int, key string) error {
		return fmt.Errorf("opening: %w", connectors.Errorf(connectors.Environment, "it is not there").About(role, spec, key).WithHelp("make it"))
	}
	for _, c := range []struct {
		name string
		err  error
		want string // the text that is marked
	}{
		{"a source", failed(connectors.SourceRole, 0, ""), `"orders.>"`},
		{"a source's setting", failed(connectors.SourceRole, 1, "ack_wait"), `5s`},
		{"a setting that has its default", failed(connectors.SourceRole, 0, "ack_wait"), `"orders.>"`},
		{"a sink's setting", failed(connectors.SinkRole, 1, "stream"), `"OUT2"`},
		{"the default connection", failed(connectors.ConnectionRole, 0, "url"), `from nats "orders.>", nats "stock.>" ack_wait 5s`},
		{"a sink that the flow does not have", failed(connectors.SinkRole, 9, "stream"), `from nats "orders.>", nats "stock.>" ack_wait 5s`},
	} {
		d, ok := f.Locate(c.err)
		if !ok {
			t.Errorf("%s: no place", c.name)
			continue
		}
		if got := d.Source.Text[d.Span.Start:d.Span.End]; got != c.want || d.Help != "make it" || d.Code != "F5001" {
			t.Errorf("%s: expected %q, found %q, %+v", c.name, c.want, got, d)
		}
	}
	if d, ok := f.Locate(errors.New("something else")); ok {
		t.Errorf("an error about no setting has a place: %+v", d)
	}
}
