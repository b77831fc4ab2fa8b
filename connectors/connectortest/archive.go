package connectortest

import (
	"errors"
	"io"
	"testing"

	"github.com/flowlang/flow/connectors"
)

var archiveTests = map[string]func(*testing.T, World){
	"archive/an epoch is read again past the reader": func(t *testing.T, w World) {
		w.Publish(numbered(1, 5)...)
		r := w.read(t, connectors.SourceOptions{})
		first, second := r.next(bounds(2)), r.next(bounds(2))
		r.ack(first)
		r.ack(second)
		again, err := r.conn.Reread(t.Context(), []connectors.SourceSpec{w.Source}, second.Position()[0].Incarnation, second.Covers()[0])
		must(t, err)
		if len(again) != 2 {
			t.Fatalf("found %+v", again)
		}
		for i, m := range second.Messages() {
			a := again[i]
			if a.Subject != m.Subject || string(a.Data) != string(m.Data) || *a.Source != *m.Source || a.Sequence != m.Sequence || a.Time != m.Time || a.Resource != m.Resource || a.Operation != m.Operation || a.Marker != m.Marker {
				t.Errorf("it was %+v, and is %+v", m, a)
			}
		}
		if n := r.unread(); n != 1 {
			t.Errorf("%d messages are unread", n)
		}
	},
	"archive/another life of a stream has nothing of it": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(2))
		w.Remake()
		w.Publish(numbered(1, 2)...)
		again, err := r.conn.Reread(t.Context(), []connectors.SourceSpec{w.Source}, d.Position()[0].Incarnation, d.Covers()[0])
		if err != nil || len(again) != 0 {
			t.Errorf("found %+v, %v", again, err)
		}
	},
	"archive/a stream is scanned in its order": func(t *testing.T, w World) {
		w.Publish(numbered(1, 5)...)
		conn := w.Connect()
		stream := w.read(t, connectors.SourceOptions{}).next(bounds(5)).Messages()[0].Source.Stream
		holding, err := conn.Holding(t.Context(), stream)
		if err != nil || holding.Created == 0 || holding.First != 1 || holding.Last != 5 || holding.Stream != stream {
			t.Fatalf("found %+v, %v", holding, err)
		}
		for _, c := range []struct{ first, last, from, to uint64 }{{0, 99, 1, 5}, {2, 3, 2, 3}, {5, 5, 5, 5}, {6, 9, 1, 0}} {
			want := c.from
			must(t, conn.Scan(t.Context(), stream, c.first, c.last, func(m *connectors.Stored) error {
				if m.Sequence != want || string(m.Data) != numbered(int(want), 1)[0] || m.Time == 0 || m.Subject == "" {
					t.Errorf("expected sequence %d, found %+v", want, m)
				}
				want++
				return nil
			}))
			if want != c.to+1 {
				t.Errorf("from %d to %d: it ended before %d", c.first, c.last, want)
			}
		}
		if err := conn.Scan(t.Context(), stream, 1, 5, func(*connectors.Stored) error { return io.EOF }); !errors.Is(err, io.EOF) {
			t.Errorf("found %v", err)
		}
	},
	"archive/a stream that is not there holds nothing": func(t *testing.T, w World) {
		conn := w.Connect()
		if h, err := conn.Holding(t.Context(), "NOSUCH"); err != nil || h.Created != 0 {
			t.Errorf("found %+v, %v", h, err)
		}
		must(t, conn.Scan(t.Context(), "NOSUCH", 0, 9, func(*connectors.Stored) error { return io.EOF }))
	},
	"remains/what a flow left is removed": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		r := w.read(t, connectors.SourceOptions{})
		r.ack(r.next(bounds(2)))
		l, err := r.conn.OpenLedger(t.Context(), Flow)
		must(t, err)
		Append(t, l, "epoch", 0, "one")
		left, err := r.conn.Remains(t.Context(), Flow)
		if err != nil || len(left.Readers) != 1 || len(left.Chains) != 1 || left.Chains[0] != (connectors.Chain{Name: "epoch", Entries: 1}) {
			t.Fatalf("found %+v, %v", left, err)
		}
		must(t, r.conn.Remove(t.Context(), Flow, left))
		if left, err := r.conn.Remains(t.Context(), Flow); err != nil || !left.Empty() {
			t.Errorf("found %+v, %v", left, err)
		}
	},
}
