package nats

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// sourcesOf are sources as the planner makes them.
func sourcesOf(given connectors.Settings, subjects ...string) []connectors.SourceSpec {
	var specs []connectors.SourceSpec
	for _, subject := range subjects {
		specs = append(specs, connectors.SourceSpec{Connection: "main", Select: subject, Resource: resourceName(subject), Settings: complete(sourceFields, given)})
	}
	return specs
}

// someRecords is the name of the records in the ledgers of these tests.
const someRecords = "RECORDS"

func openSource(t testing.TB, c *connection, options connectors.SourceOptions, specs ...connectors.SourceSpec) *source {
	t.Helper()
	if options.Epoch.MaxRecords == 0 {
		options.Epoch.MaxRecords = 1000
	}
	s, err := c.OpenSource(t.Context(), someFlow, specs, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeSource(t, s.(*source)) })
	return s.(*source)
}

// ordersFrom is a source of orders.> that was positioned at its beginning.
func ordersFrom(t testing.TB, c *connection, given connectors.Settings) *source {
	t.Helper()
	s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(given, "orders.>")...)
	seek(t, s)
	return s
}

func seek(t testing.TB, s *source, from ...connectors.Position) []connectors.Position {
	t.Helper()
	good, err := s.Seek(t.Context(), someRecords, append([]connectors.Position{}, from...))
	if err != nil {
		t.Fatal(err)
	}
	return good
}

// records are bounds that only the number of records meets.
func records(n int) connectors.Bounds { return connectors.Bounds{MaxRecords: n, MaxWait: patience} }

func read(t testing.TB, s *source, bounds connectors.Bounds) connectors.Delivery {
	t.Helper()
	d, err := s.Read(t.Context(), bounds, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ack(t testing.TB, d connectors.Delivery) {
	t.Helper()
	if err := d.Ack(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// mustInterrupt reads until the delivery is cut.
func mustInterrupt(t testing.TB, s *source) {
	t.Helper()
	for {
		d, err := s.Read(t.Context(), connectors.Bounds{MaxRecords: 1000, MaxWait: patience}, nil)
		switch {
		case errors.Is(err, connectors.ErrInterrupted):
			return
		case err != nil:
			t.Fatalf("expected an interruption, found %v", err)
		case len(d.Messages()) == 0:
			t.Fatalf("expected an interruption within %s", patience)
		}
	}
}

func sequences(d connectors.Delivery) []uint64 {
	var all []uint64
	for _, m := range d.Messages() {
		all = append(all, m.Sequence)
	}
	return all
}

// upTo are the sequences from first to last.
func upTo(first, last uint64) []uint64 {
	var all []uint64
	for n := first; n <= last; n++ {
		all = append(all, n)
	}
	return all
}

func expectSequences(t testing.TB, d connectors.Delivery, want []uint64) {
	t.Helper()
	if got := sequences(d); !slices.Equal(got, want) {
		t.Fatalf("expected the sequences %v, found %v", want, got)
	}
}

// drain reads and acknowledges until the source says that it is caught up.
func drain(t testing.TB, s *source, bounds connectors.Bounds) []uint64 {
	t.Helper()
	var all []uint64
	for {
		d, err := s.Read(t.Context(), bounds, nil)
		if errors.Is(err, connectors.ErrDrained) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sequences(d)...)
		ack(t, d)
	}
}

// consumerInfo is the state of the flow's consumer, as the server sees it.
func consumerInfo(t testing.TB, js jetstream.JetStream, stream string) *jetstream.ConsumerInfo {
	t.Helper()
	c, err := js.Consumer(t.Context(), stream, consumerName(someFlow))
	if err != nil {
		t.Fatal(err)
	}
	return c.CachedInfo()
}

// closeSource closes a source unless the test has done so.
func closeSource(t testing.TB, s *source) {
	t.Helper()
	if s.closed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	_ = s.Close(ctx) // the server may be gone
}

func (s *source) closed() bool {
	if s.beat == nil {
		return false
	}
	return s.beat.over.Err() != nil
}
