package connectortest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
)

var sourceTests = map[string]func(*testing.T, World){
	"source/messages say where they stand": func(t *testing.T, w World) {
		w.Publish(numbered(1, 3)...)
		d := w.read(t, connectors.SourceOptions{}).next(bounds(3))
		expectBodies(t, d, numbered(1, 3))
		var last connectors.Message
		for i, m := range d.Messages() {
			if m.Resource != 0 || m.Subject == "" || m.Source.Stream == "" || m.Source.Created == 0 || m.Time < last.Time || m.Time == 0 || m.Sequence <= last.Sequence || m.Operation != connectors.Insert || m.Marker {
				t.Errorf("message %d is %+v", i+1, m)
			}
			life, sequence, stored, ok := connectors.ParseEventID(string(m.AppendEventID(nil)))
			if !ok || life != *m.Source || sequence != m.Sequence || stored != m.Time {
				t.Errorf("the event id is %s", m.AppendEventID(nil))
			}
			last = m
		}
		first := d.Messages()[0]
		if want := (connectors.Range{Stream: last.Source.Stream, First: first.Sequence, Last: last.Sequence, Records: 3}); !slices.Equal(d.Covers(), []connectors.Range{want}) {
			t.Errorf("it covers %+v, expected %+v", d.Covers(), want)
		}
		if want := (connectors.Position{Incarnation: *last.Source, Sequence: last.Sequence, Time: last.Time}); !slices.Equal(d.Position(), []connectors.Position{want}) {
			t.Errorf("its position is %+v, expected %+v", d.Position(), want)
		}
	},
	"source/it says what there is to read": func(t *testing.T, w World) {
		w.Publish(numbered(1, 3)...)
		r := w.open(t, connectors.SourceOptions{})
		streams := r.source.Streams()
		if len(streams) != 1 || streams[0].Stream == "" || streams[0].Messages != 3 || streams[0].Bytes == 0 || streams[0].Oldest.IsZero() {
			t.Fatalf("found %+v", streams)
		}
		r.source.Confine([]string{streams[0].Stream}) // which is all that there is
		r.seek()
		expectBodies(t, r.next(bounds(3)), numbered(1, 3))
	},
	"source/an epoch ends at its records": func(t *testing.T, w World) {
		w.Publish(numbered(1, 5)...)
		r := w.read(t, connectors.SourceOptions{})
		expectBodies(t, r.next(bounds(2)), numbered(1, 2))
		expectBodies(t, r.next(bounds(2)), numbered(3, 2))
	},
	"source/an epoch ends at its bytes": func(t *testing.T, w World) {
		w.Publish(numbered(1, 5)...)
		b := bounds(1000)
		b.MaxBytes = 1 // which the first message meets
		expectBodies(t, w.read(t, connectors.SourceOptions{Epoch: b}).next(b), numbered(1, 1))
	},
	"source/an epoch ends at its wait, empty or not": func(t *testing.T, w World) {
		r := w.read(t, connectors.SourceOptions{})
		short := connectors.Bounds{MaxRecords: 1000, MaxWait: 30 * time.Millisecond}
		d := r.next(short)
		if len(d.Messages()) != 0 || len(d.Covers()) != 0 || len(d.Position()) != 0 {
			t.Fatalf("an empty epoch has %+v, %+v", d.Covers(), d.Position())
		}
		r.ack(d) // which there is nothing to do for
		w.Publish(numbered(1, 2)...)
		var got []string
		eventually(t, "both messages come", func() bool {
			got = append(got, bodies(r.next(short))...)
			return len(got) == 2
		})
	},
	"source/an epoch ends at the age of its first record": func(t *testing.T, w World) {
		r := w.read(t, connectors.SourceOptions{})
		b := bounds(1000)
		b.MaxAge = 30 * time.Millisecond
		w.Publish(numbered(1, 2)...)
		began := time.Now()
		if d := r.next(b); len(d.Messages()) == 0 || time.Since(began) > patience/2 {
			t.Errorf("after %s: %q", time.Since(began), bodies(d))
		}
	},
	"source/a stop ends an epoch with what it has": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		r := w.read(t, connectors.SourceOptions{})
		stopped := make(chan struct{})
		close(stopped)
		var got []string
		eventually(t, "both messages come, whatever is stopped", func() bool {
			d, err := r.source.Read(t.Context(), bounds(1000), stopped)
			must(t, err)
			got = append(got, bodies(d)...)
			return len(got) == 2
		})
	},
	"source/a cancelled read acknowledges nothing": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		r := w.read(t, connectors.SourceOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, err := r.source.Read(ctx, bounds(1000), nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("expected that it is cancelled, found %v", err)
		}
		if n := r.unread(); n != 2 {
			t.Errorf("%d messages are unread", n)
		}
		r.seek()
		expectBodies(t, r.next(bounds(2)), numbered(1, 2))
	},
	"source/it goes on right behind its positions": func(t *testing.T, w World) {
		w.Publish(numbered(1, 5)...)
		r := w.read(t, connectors.SourceOptions{})
		first := r.next(bounds(2))
		other := connectors.Position{Incarnation: connectors.Incarnation{Stream: "ANOTHER", Created: 7}, Sequence: 9}
		good := r.seek(first.Position()[0], other)
		if !slices.Contains(good, first.Position()[0]) || !slices.Contains(good, other) {
			t.Errorf("found good %+v: a position was lost", good)
		}
		expectBodies(t, r.next(bounds(3)), numbered(3, 3))
	},
	"source/a stream that was made anew is read from its beginning": func(t *testing.T, w World) {
		w.Publish(numbered(1, 3)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(3))
		r.ack(d)
		w.Remake()
		w.Publish(numbered(7, 1)...)
		r.interrupted()
		if good := r.seek(d.Position()...); len(good) != 0 {
			t.Errorf("found good: %+v", good)
		}
		expectBodies(t, r.next(bounds(1)), numbered(7, 1))
	},
	"source/it belongs to one chain of records": func(t *testing.T, w World) {
		w.Publish(numbered(1, 1)...)
		r := w.read(t, connectors.SourceOptions{})
		r.ack(r.next(bounds(1)))
		if _, err := r.source.Seek(t.Context(), "OTHER", nil); err == nil || connectors.Retryable(err) {
			t.Errorf("records of another ledger: %v", err)
		}
	},
	"source/it is drained once all of the start is read": func(t *testing.T, w World) {
		w.Publish(numbered(1, 5)...)
		r := w.read(t, connectors.SourceOptions{UntilCaughtUp: true})
		began := time.Now()
		a, b := r.next(bounds(3)), r.next(bounds(3))
		expectBodies(t, a, numbered(1, 3))
		expectBodies(t, b, numbered(4, 2)) // which waits for no more
		r.ack(a)
		r.ack(b)
		if _, err := r.source.Read(t.Context(), bounds(3), nil); !errors.Is(err, connectors.ErrDrained) {
			t.Errorf("found %v", err)
		}
		if time.Since(began) > patience/2 {
			t.Errorf("it took %s", time.Since(began))
		}
	},
	"source/an empty one is drained at once": func(t *testing.T, w World) {
		r := w.read(t, connectors.SourceOptions{UntilCaughtUp: true})
		if _, err := r.source.Read(t.Context(), bounds(3), nil); !errors.Is(err, connectors.ErrDrained) {
			t.Errorf("found %v", err)
		}
	},
	"source/a lost link is recovered from": func(t *testing.T, w World) {
		w.Publish(numbered(1, 4)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(2))
		w.Cut()
		r.interrupted()
		r.seek()
		if err := d.Ack(t.Context()); err == nil {
			t.Error("a delivery of before is acknowledged")
		}
		expectBodies(t, r.next(bounds(4)), numbered(1, 4))
	},
	"source/another one takes over": func(t *testing.T, w World) {
		w.Publish(numbered(1, 4)...)
		first := w.read(t, connectors.SourceOptions{})
		expectBodies(t, first.next(bounds(2)), numbered(1, 2))
		second := w.open(t, connectors.SourceOptions{})
		if tenure, err := second.source.Held(t.Context()); err != nil || tenure == connectors.Vacant {
			t.Errorf("a source that is read is %v, %v", tenure, err)
		}
		second.seek()
		four := second.whole(4)
		expectBodies(t, four, numbered(1, 4))
		w.Publish(numbered(5, 2)...)
		d, err := first.source.Read(t.Context(), connectors.Bounds{MaxRecords: 10, MaxWait: 100 * time.Millisecond}, nil)
		if err == nil && len(d.Messages()) > 0 && d.Messages()[len(d.Messages())-1].Sequence > 4 {
			t.Errorf("who held it before got %q", bodies(d))
		}
		expectBodies(t, second.whole(2, four.Position()...), numbered(5, 2))
	},
	"source/what was closed is read by the next at once": func(t *testing.T, w World) {
		w.Publish(numbered(1, 4)...)
		first := w.read(t, connectors.SourceOptions{})
		expectBodies(t, first.next(bounds(2)), numbered(1, 2))
		must(t, first.source.Close(t.Context()))
		second := w.open(t, connectors.SourceOptions{})
		eventually(t, "it is not occupied any more", func() bool {
			tenure, err := second.source.Held(t.Context())
			must(t, err)
			return tenure != connectors.Occupied
		})
		second.seek()
		expectBodies(t, second.next(bounds(4)), numbered(1, 4))
	},
	"source/it says what is still to come": func(t *testing.T, w World) {
		w.Publish(numbered(1, 5)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(2))
		eventually(t, "three are pending", func() bool { return r.source.Stats().Pending == 3 })
		r.ack(d)
		streams := r.source.Stats().Streams
		if len(streams) != 1 || streams[0].Certified != d.Messages()[1].Sequence || streams[0].Lag != 3 {
			t.Errorf("found %+v", streams)
		}
	},
	"source/it refuses to read where its flow writes": func(t *testing.T, w World) {
		w.Publish(numbered(1, 1)...)
		r := w.read(t, connectors.SourceOptions{})
		m := r.next(bounds(1)).Messages()[0]
		sink, err := r.conn.OpenSink(t.Context(), Flow, w.Sink)
		must(t, err)
		t.Cleanup(func() { _ = sink.Close() }) // nothing of it matters any more
		must(t, r.source.Avoid(sink.Targets()))
		own := sink.Targets()[0]
		own.Stream, own.Created, own.Subject = m.Source.Stream, m.Source.Created, m.Subject
		if err := r.source.Avoid([]connectors.Target{own}); connectors.ClassOf(err) != connectors.Refused {
			t.Errorf("found %v", err)
		}
	},
}
