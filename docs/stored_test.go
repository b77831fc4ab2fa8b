package docs_test

import (
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors/nats/embedded"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// stored are the bodies on a subject, without the columns of the envelope, which
// come last.
func stored(t *testing.T, server *embedded.Server, subject string) []string {
	t.Helper()
	nc, err := natsgo.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	name, err := js.StreamNameBySubject(t.Context(), subject)
	if err != nil {
		t.Fatalf("no stream has %s: %v", subject, err)
	}
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	state := stream.CachedInfo().State
	var all []string
	for sequence := state.FirstSeq; sequence <= state.LastSeq; sequence++ {
		m, err := stream.GetMsg(t.Context(), sequence)
		if err != nil {
			t.Fatal(err)
		}
		if m.Subject != subject {
			continue
		}
		body, _, found := strings.Cut(string(m.Data), `,"_flow_event_id"`)
		if found {
			body += "}"
		}
		all = append(all, body)
	}
	return all
}
