package nats

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// FuzzLetter: what a dead letter keeps of a message comes back, whatever its headers
// are called, and one that is shortened fits and keeps its body.
func FuzzLetter(f *testing.F) {
	for _, name := range []string{"X-Tenant", "Nats-Rollup", "nats-msg-id", "Flow-Error", "flow-name", "Flow-Source-Event-Id", "Flow-Original-X", "Flow-Original-Nats-X", "Content-Type", "Flow-Operation"} {
		f.Add(name, "value", "body", 500)
	}
	f.Fuzz(func(t *testing.T, name, value, body string, limit int) {
		if name == "" || strings.ContainsAny(name+value, "\r\n:") {
			t.Skip() // no header
		}
		original := connectors.Message{Subject: "orders.a", Data: []byte(body), Headers: map[string][]string{name: {value}}, Source: &someLife, Sequence: 7, Time: 8}
		header := letterHeader(someFlow, &connectors.DeadLetter{Message: &original, Code: "F5003", Reason: "a reason"})
		m := &natsgo.Msg{Subject: "dead.x", Data: original.Data, Header: header}
		if back := restored(m); back.Subject != original.Subject || string(back.Data) != body || !reflect.DeepEqual(map[string][]string(back.Header), original.Headers) {
			t.Errorf("%q became %+v", name, back)
		}
		short := &natsgo.Msg{Subject: m.Subject, Data: m.Data, Header: maps.Clone(header)}
		if fits := shorten(short, int64(limit)); fits && len(short.Data)+headerSize(short.Header) > limit || string(short.Data) != body {
			t.Errorf("it has %d bytes for %d", len(short.Data)+headerSize(short.Header), limit)
		}
		if short.Header.Get(headerLetterSource) != "ORDERS/7" || short.Header.Get(headerErrorCode) != "F5003" {
			t.Errorf("it does not say any more what it is: %v", short.Header)
		}
	})
}
