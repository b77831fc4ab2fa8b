package nats

import (
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
)

// idParts are all that a message id is made of.
type idParts struct {
	namespace, flow, connection, source string
	created, time                       int64
	sequence                            uint64
	stream, subject, resource           string
}

func (p idParts) id() string {
	ids := newMessageIDs(connectors.Identity{Namespace: p.namespace, Flow: p.flow}, p.connection)
	m := connectors.Message{Source: &connectors.Incarnation{Stream: p.source, Created: p.created}, Sequence: p.sequence, Time: p.time}
	return string(ids.append(nil, &m, p.stream, p.subject, p.resource))
}

func someParts() idParts {
	return idParts{namespace: "default", flow: "orders", connection: "nats", source: "ORDERS",
		created: 1700000000000000000, sequence: 42, time: 1700000001000000000, stream: "V1", subject: "v1.orders", resource: "orders"}
}

// The id of a row is kept by destinations, so another version of this program
// must make the same one.
func TestMessageIDIsStable(t *testing.T) {
	const golden = "f1.N5J7Q2V4PDNYUN2V6YODTZKTXE"
	if got := someParts().id(); got != golden {
		t.Errorf("expected %s, found %s", golden, got)
	}
}

func TestEveryPartChangesTheMessageID(t *testing.T) {
	seen := map[string]string{someParts().id(): "nothing"}
	for name, change := range map[string]func(*idParts){
		"namespace":   func(p *idParts) { p.namespace = "prod" },
		"flow":        func(p *idParts) { p.flow = "others" },
		"connection":  func(p *idParts) { p.connection = "warehouse" },
		"source":      func(p *idParts) { p.source = "ORDERS2" },
		"created":     func(p *idParts) { p.created++ },
		"sequence":    func(p *idParts) { p.sequence++ },
		"stored time": func(p *idParts) { p.time++ },
		"stream":      func(p *idParts) { p.stream = "V2" },
		"subject":     func(p *idParts) { p.subject = "v2.orders" },
		"resource":    func(p *idParts) { p.resource = "others" },
		// The same text, cut at another place.
		"shifted names":  func(p *idParts) { p.namespace, p.flow = "defaulto", "rders" },
		"shifted target": func(p *idParts) { p.stream, p.subject = "V1v", "1.orders" },
	} {
		p := someParts()
		change(&p)
		id := p.id()
		if other, twice := seen[id]; twice {
			t.Errorf("changing %s gives the same id as changing %s", name, other)
		}
		seen[id] = name
		if !strings.HasPrefix(id, messageIDPrefix) || len(id) != len(messageIDPrefix)+26 {
			t.Errorf("%s: %q has not the form of an id", name, id)
		}
	}
}

func TestMessageIDsAreAppended(t *testing.T) {
	ids := newMessageIDs(connectors.Identity{Namespace: "n", Flow: "f"}, "c")
	m := connectors.Message{Source: &connectors.Incarnation{Stream: "S"}, Sequence: 1}
	first := string(ids.append(nil, &m, "D", "d", "r"))
	again := string(ids.append([]byte("x"), &m, "D", "d", "r"))
	if again != "x"+first {
		t.Errorf("expected %q behind what was there, found %q", first, again)
	}
}
