package connectortest

import (
	"context"
	"testing"

	"github.com/flowlang/flow/connectors"
)

var deadLetterTests = map[string]func(*testing.T, World){
	"dead letters/they are the original": func(t *testing.T, w World) {
		d, conn := w.dead(t)
		m := &connectors.Message{Subject: "from.a", Data: []byte("\x00no JSON"), Headers: map[string][]string{"X-Tenant": {"acme"}},
			Source: &connectors.Incarnation{Stream: "FROM", Created: 1}, Sequence: 7, Time: 8}
		letters := []connectors.DeadLetter{{Message: m, Code: "F5003", Reason: "it is no JSON"}}
		for range 2 { // written again, it is the same one
			must(t, d.Write(t.Context(), letters))
		}
		var all []connectors.Stored
		must(t, conn.Scan(t.Context(), d.Targets()[0].Stream, 0, 1<<62, func(m *connectors.Stored) error {
			all = append(all, *m)
			return nil
		}))
		if len(all) != 1 || string(all[0].Data) != "\x00no JSON" {
			t.Fatalf("found %+v", all)
		}
		for name, want := range map[string]string{"X-Tenant": "acme", "Flow-Error": "it is no JSON", "Flow-Error-Code": "F5003", "Flow-Source": "FROM/7", "Flow-Name": Flow.String()} {
			if got := all[0].Headers[name]; len(got) != 1 || got[0] != want {
				t.Errorf("header %s: expected %q, found %q", name, want, got)
			}
		}
	},
	"dead letters/a cancelled write is an error": func(t *testing.T, w World) {
		d, _ := w.dead(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		m := &connectors.Message{Subject: "from.a", Data: []byte("x"), Source: &connectors.Incarnation{Stream: "FROM", Created: 1}, Sequence: 7, Time: 8}
		if err := d.Write(ctx, []connectors.DeadLetter{{Message: m}}); err == nil {
			t.Error("it says that the letter is acknowledged")
		}
	},
	"dead letters/none is nothing": func(t *testing.T, w World) {
		d, _ := w.dead(t)
		must(t, d.Write(t.Context(), nil))
	},
}

func (w World) dead(t *testing.T) (connectors.DeadLetters, connectors.Connection) {
	t.Helper()
	conn := w.Connect()
	d, err := conn.OpenDeadLetters(t.Context(), Flow, w.Dead)
	must(t, err)
	t.Cleanup(func() { _ = d.Close() }) // the test may have ended the session
	if len(d.Targets()) == 0 || d.Targets()[0].Stream == "" || d.Targets()[0].Created == 0 {
		t.Fatalf("the dead letters go to %+v", d.Targets())
	}
	return d, conn
}
