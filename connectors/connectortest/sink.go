package connectortest

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
)

// writer is an open sink with what the tests ask of it.
type writer struct {
	t    testing.TB
	conn connectors.Connection
	sink connectors.Sink
}

func (w World) write(t testing.TB, spec connectors.SinkSpec) writer {
	t.Helper()
	return w.writeAs(t, Flow, spec)
}

// writeAs opens the sink of a flow.
func (w World) writeAs(t testing.TB, flow connectors.Identity, spec connectors.SinkSpec) writer {
	t.Helper()
	conn := w.Connect()
	sink, err := conn.OpenSink(t.Context(), flow, spec)
	must(t, err)
	t.Cleanup(func() { _ = sink.Close() }) // the test may have ended the session
	return writer{t, conn, sink}
}

func (w writer) begin(epoch uint64, batches ...connectors.Batch) {
	w.t.Helper()
	must(w.t, w.sink.Begin(w.t.Context(), epoch))
	for _, b := range batches {
		must(w.t, w.sink.Prepare(w.t.Context(), b))
	}
}

// epoch writes one.
func (w writer) epoch(number uint64, batches ...connectors.Batch) []connectors.Receipt {
	w.t.Helper()
	w.begin(number, batches...)
	must(w.t, w.sink.Apply(w.t.Context()))
	receipts, err := w.sink.Commit(w.t.Context(), number)
	must(w.t, err)
	return receipts
}

// stored is what the destination holds.
func (w writer) stored() []connectors.Stored {
	w.t.Helper()
	var all []connectors.Stored
	must(w.t, w.conn.Scan(w.t.Context(), w.sink.Targets()[0].Stream, 0, 1<<62, func(m *connectors.Stored) error {
		kept := *m
		kept.Data = append([]byte(nil), m.Data...)
		all = append(all, kept)
		return nil
	}))
	return all
}

// holds checks which texts the destination has, in which order.
func (w writer) holds(texts ...string) {
	w.t.Helper()
	all := w.stored()
	if len(all) != len(texts) {
		w.t.Fatalf("expected %d messages, found %d", len(texts), len(all))
	}
	for i, text := range texts {
		if !strings.Contains(string(all[i].Data), fmt.Sprintf(`"text":%q`, text)) {
			w.t.Errorf("message %d: expected the text %q, found %s", i+1, text, all[i].Data)
		}
	}
}

var sinkTests = map[string]func(*testing.T, World){
	"sink/an epoch is written in row order": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		receipts := s.epoch(1, batch("a", "b", "c"), batch("a", "b", "c", "d"))
		s.holds("a", "b", "c", "d") // the rows of the second batch came from the same messages
		if len(receipts) != 1 || receipts[0].Rows != 7 || receipts[0].Duplicates != 3 {
			t.Errorf("found %+v", receipts)
		}
	},
	"sink/a receipt says what the destination holds": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		receipts := s.epoch(1, batch("a", "b", "c"))
		all := s.stored()
		sum, size := uint32(0), int64(0)
		for _, m := range all {
			sum = crc32.Update(sum, crc32.MakeTable(crc32.Castagnoli), m.Data)
			size += int64(len(m.Data))
		}
		holding, err := s.conn.Holding(t.Context(), s.sink.Targets()[0].Stream)
		must(t, err)
		want := connectors.Receipt{Resource: w.Source.Resource, Stream: holding.Stream, Created: holding.Created, Rows: 3, Bytes: size, First: all[0].Sequence, Last: all[2].Sequence, CRC32C: sum}
		if len(receipts) != 1 || receipts[0] != want {
			t.Errorf("expected %+v\nfound    %+v", want, receipts)
		}
	},
	"sink/nothing is sent before Apply": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.epoch(1, batch("a"))
		s.begin(2, batch("a", "b"))
		s.holds("a")
	},
	"sink/nothing is made before Begin": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		holding, err := s.conn.Holding(t.Context(), s.sink.Targets()[0].Stream)
		if err != nil || holding.Created != 0 {
			t.Errorf("found %+v, %v", holding, err)
		}
	},
	"sink/only selected rows are written": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		b := batch("a", "b", "c", "d")
		b.Selected = []int{1, 3}
		if receipts := s.epoch(1, b); receipts[0].Rows != 2 {
			t.Errorf("found %+v", receipts)
		}
		s.holds("b", "d")
	},
	"sink/bad rows are told before anything is sent": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.begin(1, batch("a"))
		b := batch("a", w.Refused, "c", w.Refused)
		bad, ok := errors.AsType[connectors.RowErrors](s.sink.Prepare(t.Context(), b))
		if !ok || len(bad) != 2 || bad[0].Row != 1 || bad[1].Row != 3 || bad[0].Err == nil {
			t.Fatalf("found %+v", bad)
		}
		if n := len(s.stored()); n != 0 {
			t.Errorf("%d messages were sent", n)
		}
		// Nothing of that batch is taken, and the session goes on.
		b.Selected = []int{2}
		must(t, s.sink.Prepare(t.Context(), b))
		must(t, s.sink.Apply(t.Context()))
		s.holds("a", "c")
	},
	"sink/Begin prepares anew": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.begin(1, batch("a", "b"))
		s.epoch(1, batch("a", "b", "c"))
		s.holds("a", "b", "c")
	},
	"sink/an aborted epoch is forgotten": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.begin(1, batch("a", "b"))
		must(t, s.sink.Abort(t.Context()))
		receipts := s.epoch(1)
		if len(receipts) != 0 || len(s.stored()) != 0 {
			t.Errorf("found %+v, %d messages", receipts, len(s.stored()))
		}
		if receipts := s.epoch(2, batch("a")); len(receipts) != 1 || receipts[0].Rows != 1 {
			t.Errorf("found %+v", receipts)
		}
	},
	"sink/what was written and aborted is a duplicate then": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.begin(1, batch("a", "b"))
		must(t, s.sink.Apply(t.Context()))
		must(t, s.sink.Abort(t.Context()))
		s = w.write(t, w.Sink) // another attempt, cut otherwise
		receipts := s.epoch(1, batch("a", "b", "c"))
		if len(receipts) != 1 || receipts[0].Rows != 3 || receipts[0].Duplicates != 2 || receipts[0].First != 3 || receipts[0].Last != 3 {
			t.Errorf("found %+v", receipts)
		}
		s.holds("a", "b", "c")
	},
	"sink/it shows what it would send": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		b := batch("a", "b", "c")
		b.Selected = []int{0, 2}
		s.begin(1, b)
		var shown []connectors.Stored
		s.sink.Prepared(func(p connectors.Prepared) {
			if p.Resource != w.Source.Resource || p.From != &b.Messages[2*len(shown)] || p.Stream != s.sink.Targets()[0].Stream {
				t.Errorf("found %+v", p)
			}
			shown = append(shown, connectors.Stored{Subject: p.Subject, ID: p.ID, Event: p.Event, Data: append([]byte(nil), p.Data...)})
		})
		must(t, s.sink.Apply(t.Context()))
		all := s.stored()
		for i, m := range all {
			if len(shown) != len(all) || shown[i].Subject != m.Subject || shown[i].ID != m.ID || shown[i].Event != m.Event || string(shown[i].Data) != string(m.Data) {
				t.Fatalf("shown was %+v, and sent %+v", shown, all)
			}
			if id := s.conn.MessageID(Flow, w.Sink.Connection, &b.Messages[2*i], s.sink.Targets()[0].Stream, m.Subject, w.Source.Resource); id != m.ID {
				t.Errorf("the message id is %q, and was computed as %q", m.ID, id)
			}
		}
	},
	"sink/a preview makes nothing": func(t *testing.T, w World) {
		spec := w.Sink
		spec.Preview = true
		s := w.write(t, spec)
		s.begin(1, batch("a"))
		shown := 0
		s.sink.Prepared(func(connectors.Prepared) { shown++ })
		holding, err := s.conn.Holding(t.Context(), s.sink.Targets()[0].Stream)
		if err != nil || holding.Created != 0 || shown != 1 {
			t.Errorf("shown %d, found %+v, %v", shown, holding, err)
		}
	},
	"sink/a cancelled Apply ends the session": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.begin(1, batch("a", "b"))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.sink.Apply(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("found %v", err)
		}
		if _, err := s.sink.Commit(t.Context(), 1); err == nil {
			t.Error("an epoch is committed that was not written")
		}
		w.goesOnAfter(t, s)
	},
	"sink/a lost link ends the session": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.begin(1, batch("a", "b"))
		w.Cut()
		eventually(t, "it is noticed", func() bool {
			err := s.sink.Apply(t.Context())
			if err != nil && !connectors.Retryable(err) {
				t.Fatalf("a lost link is no error that may pass: %v", err)
			}
			if err == nil {
				err = s.sink.Begin(t.Context(), 2)
			}
			return err != nil
		})
		w.goesOnAfter(t, s)
	},
	"sink/two flows are told apart": func(t *testing.T, w World) {
		w.write(t, w.Sink).epoch(1, batch("a"))
		other := w.writeAs(t, connectors.Identity{Namespace: "default", Flow: "other"}, w.Sink)
		if receipts := other.epoch(1, batch("a")); receipts[0].Duplicates != 0 {
			t.Errorf("a row of another flow counts as a duplicate: %+v", receipts)
		}
	},
	"sink/nothing is in flight after an epoch": func(t *testing.T, w World) {
		s := w.write(t, w.Sink)
		s.epoch(1, batch("a", "b", "c"))
		if stats := s.sink.Stats(); stats.InFlight != (connectors.Limits{}) {
			t.Errorf("after an epoch %+v is in flight", stats.InFlight)
		}
	},
}

// goesOnAfter closes a session that is over, and writes through another one.
func (w World) goesOnAfter(t *testing.T, s writer) {
	t.Helper()
	if err := s.sink.Close(); err != nil && !errors.Is(err, connectors.ErrUnproven) {
		t.Errorf("closing: %v", err)
	}
	must(t, s.conn.Await(t.Context()))
	again := w.write(t, w.Sink)
	again.epoch(1, batch("a", "b", "c"))
	again.holds("a", "b", "c")
}
