package nats

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// noticed is within what time a source has to tell of what happened to it.
const noticed = 10 * time.Second

// An event below an idle source is noticed in time, and ends in an error that says
// what it is, or in reading on.
func TestEventsBelowAnIdleSource(t *testing.T) {
	name := consumerName(someFlow)
	for _, v := range []struct {
		name   string
		happen func(js jetstream.JetStream) error
		err    string // of the flow; empty if it goes on
		want   []uint64
	}{
		{"consumer deleted", func(js jetstream.JetStream) error { return js.DeleteConsumer(t.Context(), "ORDERS", name) }, "", upTo(6, 8)},
		{"consumer paused", func(js jetstream.JetStream) error {
			_, err := js.PauseConsumer(t.Context(), "ORDERS", name, time.Now().Add(time.Hour))
			return err
		}, "the consumer " + name + " of stream ORDERS is paused for another", nil},
		{"stream deleted", func(js jetstream.JetStream) error { return js.DeleteStream(t.Context(), "ORDERS") }, "the source stream ORDERS is gone", nil},
		{"stream made anew", func(js jetstream.JetStream) error {
			if err := js.DeleteStream(t.Context(), "ORDERS"); err != nil {
				return err
			}
			_, err := js.CreateStream(t.Context(), streamOn("ORDERS", "orders.>"))
			return err
		}, "", upTo(1, 3)},
		{"stream purged", func(js jetstream.JetStream) error {
			s, err := js.Stream(t.Context(), "ORDERS")
			if err != nil {
				return err
			}
			return s.Purge(t.Context())
		}, "", upTo(6, 8)},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			c, _, js := someOrders(t, 5)
			s := ordersFrom(t, c, nil)
			d := read(t, s, records(5))
			ack(t, d)
			if idle, err := s.Read(t.Context(), connectors.Bounds{MaxRecords: 1, MaxWait: 10 * time.Millisecond}, nil); err != nil || len(idle.Messages()) != 0 {
				t.Fatalf("expected nothing more, found %v", err)
			}
			if err := v.happen(js); err != nil {
				t.Fatal(err)
			}
			if v.err == "" {
				fill(t, js, 3, "orders.x")
			}
			began := time.Now()
			got, err := goOn(t, s, d.Position(), len(v.want))
			check(t, v.name, err, v.err)
			if !slices.Equal(got, v.want) {
				t.Errorf("expected to read %v, found %v", v.want, got)
			}
			if took := time.Since(began); took > noticed {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// goOn reads and recovers as the executor does, until so many messages were read or
// there is an error that does not pass.
func goOn(t *testing.T, s *source, from []connectors.Position, n int) ([]uint64, error) {
	t.Helper()
	var all []uint64
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		d, err := s.Read(t.Context(), connectors.Bounds{MaxRecords: 100, MaxWait: 100 * time.Millisecond}, nil)
		if err == nil && len(d.Messages()) > 0 {
			if err = d.Ack(t.Context()); err == nil {
				all, from = append(all, sequences(d)...), d.Position()
				if len(all) >= n && n > 0 {
					return all, nil
				}
			}
		}
		if passes(err) {
			if err = s.conn.Await(t.Context()); err == nil {
				from, err = s.Seek(t.Context(), someRecords, from)
			}
		}
		if err != nil && !passes(err) {
			return all, err
		}
	}
	return all, fmt.Errorf("nothing was said within %s", patience)
}

func passes(err error) bool {
	return errors.Is(err, connectors.ErrInterrupted) || connectors.Retryable(err)
}

// A link on which nothing passes any more is left, and reading goes on over another one.
func TestAFrozenLinkIsLeft(t *testing.T) {
	t.Parallel()
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 5, "orders.x")
	p, through := startProxy(t, url)
	c, said := link(t, through, nil)
	s := ordersFrom(t, c, nil)
	d := read(t, s, records(5))
	ack(t, d)
	p.up.hold()
	p.down.hold()
	fill(t, js, 3, "orders.x")
	began := time.Now()
	eventually(t, "the silence is noticed", func() bool { return said.holds("disconnected") })
	if took := time.Since(began); took > noticed {
		t.Errorf("it took %s to notice", took)
	}
	p.cut() // the network is back
	got, err := goOn(t, s, d.Position(), 3)
	if err != nil || !slices.Equal(got, upTo(6, 8)) {
		t.Errorf("expected to read on, found %v, %v", got, err)
	}
	if !said.holds("nothing was heard of the server") || !said.holds("reconnected") {
		t.Errorf("expected to be told of it, found %q", said.all)
	}
}

// A server in lame duck mode sends its clients away before it ends.
func TestALameDuckIsLeft(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	options := func(port int) func(*server.Options) {
		return func(o *server.Options) {
			o.Port, o.StoreDir, o.LameDuckDuration, o.LameDuckGracePeriod = port, store, 50*time.Millisecond, time.Millisecond
		}
	}
	duck := run(t, options(server.RANDOM_PORT))
	js := client(t, duck.ClientURL())
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 5, "orders.x")
	c, said := link(t, duck.ClientURL(), nil)
	s := ordersFrom(t, c, nil)
	d := read(t, s, records(3))
	ack(t, d)
	port := duck.Addr().(*net.TCPAddr).Port
	began := time.Now()
	duck.LameDuckShutdown()
	eventually(t, "the end is noticed", func() bool { return said.holds("disconnected") })
	run(t, options(port))
	got, err := goOn(t, s, d.Position(), 2)
	if err != nil || !slices.Equal(got, upTo(4, 5)) {
		t.Errorf("expected to read on, found %v, %v", got, err)
	}
	if took := time.Since(began); took > noticed {
		t.Errorf("it took %s", took)
	}
}
