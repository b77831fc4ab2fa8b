package connectortest

import (
	"context"
	"io"
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
	"dead letters/they are found and removed": func(t *testing.T, w World) {
		w.Publish("no JSON", "no JSON either")
		r := w.read(t, connectors.SourceOptions{})
		messages := r.next(bounds(2)).Messages()
		d, conn := w.dead(t)
		var letters []connectors.DeadLetter
		for i := range messages {
			letters = append(letters, connectors.DeadLetter{Message: &messages[i], Code: "F5003", Reason: "it is no JSON"})
		}
		must(t, d.Write(t.Context(), letters))
		for left := 2; left >= 0; left-- {
			var found []connectors.Letter
			must(t, conn.Letters(t.Context(), Flow, &w.Dead, []connectors.SourceSpec{w.Source}, func(l *connectors.Letter) error {
				found = append(found, *l)
				return nil
			}))
			if len(found) != left {
				t.Fatalf("expected %d letters, found %+v", left, found)
			}
			for i, l := range found {
				m, was := l.Message, messages[2-left+i]
				if l.Code != "F5003" || l.Reason != "it is no JSON" || l.Shortened != "" || l.Stored == 0 {
					t.Errorf("found %+v", l)
				}
				if m.Source == nil || string(m.AppendEventID(nil)) != string(was.AppendEventID(nil)) || string(m.Data) != string(was.Data) || m.Subject != was.Subject || len(m.Headers) != len(was.Headers) || m.Resource != was.Resource || m.Operation != was.Operation {
					t.Errorf("the original was %+v, and is %+v", was, m)
				}
			}
			if left > 0 {
				for range 2 { // what is gone is no error
					must(t, conn.RemoveLetter(t.Context(), found[0].Stream, found[0].Sequence))
				}
			}
		}
		other := connectors.Identity{Namespace: "default", Flow: "other"}
		must(t, conn.Letters(t.Context(), other, &w.Dead, nil, func(*connectors.Letter) error { return io.EOF }))
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
