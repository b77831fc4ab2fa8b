package connectortest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
)

var deliveryTests = map[string]func(*testing.T, World){
	"delivery/nothing is acknowledged before Ack": func(t *testing.T, w World) {
		w.Publish(numbered(1, 4)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(2))
		if n := r.unread(); n != 4 {
			t.Errorf("before: %d messages are unread", n)
		}
		r.ack(d)
		if n := r.unread(); n != 2 {
			t.Errorf("after: %d messages are unread", n)
		}
	},
	"delivery/what is released comes again in its order": func(t *testing.T, w World) {
		w.Publish(numbered(1, 4)...)
		r := w.read(t, connectors.SourceOptions{})
		ids := eventIDs(r.next(bounds(3)))
		r.seek()
		d := r.next(bounds(3))
		if again := eventIDs(d); !slices.Equal(again, ids) {
			t.Errorf("the event ids were %q, and are %q", ids, again)
		}
		d.Release(t.Context())
		r.interrupted()
		r.seek()
		expectBodies(t, r.next(bounds(4)), numbered(1, 4))
		if n := r.unread(); n != 4 {
			t.Errorf("%d messages are unread", n)
		}
	},
	"delivery/it stays whole while the next one is read": func(t *testing.T, w World) {
		w.Publish(numbered(1, 200)...)
		r := w.read(t, connectors.SourceOptions{})
		first := r.next(bounds(100))
		second := r.next(bounds(100))
		expectBodies(t, first, numbered(1, 100))
		r.ack(first)
		expectBodies(t, second, numbered(101, 100))
		r.ack(second)
		if n := r.unread(); n != 0 {
			t.Errorf("%d messages are unread", n)
		}
	},
	// The executor reads one epoch while the one before it is written: Ack and Release
	// come while Read waits.
	"delivery/it is acknowledged while Read waits": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		r := w.read(t, connectors.SourceOptions{})
		for i := range 20 {
			d := r.next(bounds(2))
			expectBodies(t, d, numbered(1+2*i, 2))
			next := r.ahead(bounds(2))
			if len(next) > 0 {
				t.Fatal("a read ended before there was anything")
			}
			r.ack(d)
			if n := r.unread(); n != 0 {
				t.Fatalf("round %d: %d messages are unread", i, n)
			}
			w.Publish(numbered(3+2*i, 2)...)
			got := <-next
			must(t, got.err)
			expectBodies(t, got.delivery, numbered(3+2*i, 2))
			r.seek(d.Position()...) // and read that once more
		}
	},
	"delivery/it is released while Read waits": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(2))
		next := r.ahead(bounds(2))
		d.Release(t.Context())
		select {
		case got := <-next:
			if !errors.Is(got.err, connectors.ErrInterrupted) {
				t.Fatalf("found %v: what is behind a released epoch cannot go on", got.err)
			}
		case <-time.After(patience):
			t.Fatal("a read goes on behind an epoch that was released")
		}
		r.seek()
		expectBodies(t, r.next(bounds(2)), numbered(1, 2))
	},
	"delivery/the one behind is released first": func(t *testing.T, w World) {
		w.Publish(numbered(1, 4)...)
		r := w.read(t, connectors.SourceOptions{})
		first, second := r.next(bounds(2)), r.next(bounds(2))
		second.Release(t.Context())
		first.Release(t.Context())
		r.seek()
		expectBodies(t, r.next(bounds(4)), numbered(1, 4))
	},
	"delivery/a cancelled read lets the one before it be acknowledged": func(t *testing.T, w World) {
		w.Publish(numbered(1, 3)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(2))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.source.Read(ctx, bounds(1000), nil); !errors.Is(err, context.Canceled) {
			t.Fatalf("found %v", err)
		}
		r.ack(d)
		if n := r.unread(); n != 1 {
			t.Errorf("%d messages are unread", n)
		}
	},
	"delivery/nothing gets through after Seek": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		r := w.read(t, connectors.SourceOptions{})
		d := r.next(bounds(2))
		r.seek()
		if err := d.Ack(t.Context()); !errors.Is(err, connectors.ErrInterrupted) {
			t.Errorf("acknowledging a delivery of before: %v", err)
		}
		d.Release(t.Context())
		if n := r.unread(); n != 2 {
			t.Errorf("%d messages are unread", n)
		}
		expectBodies(t, r.next(bounds(2)), numbered(1, 2))
	},
	"delivery/a cancelled acknowledgement is an error": func(t *testing.T, w World) {
		w.Publish(numbered(1, 2)...)
		d := w.read(t, connectors.SourceOptions{}).next(bounds(2))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := d.Ack(ctx); err == nil {
			t.Error("it says that the acknowledgement is confirmed")
		}
	},
}

type readAhead struct {
	delivery connectors.Delivery
	err      error
}

// ahead reads in a goroutine of its own.
func (r reader) ahead(b connectors.Bounds) chan readAhead {
	done := make(chan readAhead, 1)
	go func() {
		d, err := r.source.Read(r.t.Context(), b, nil)
		done <- readAhead{d, err}
	}()
	return done
}

func eventIDs(d connectors.Delivery) []string {
	var ids []string
	for _, m := range d.Messages() {
		ids = append(ids, string(m.AppendEventID(nil)))
	}
	return ids
}
