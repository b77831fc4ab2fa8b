package nats

import (
	"context"
	"fmt"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
)

// someLife is the stream that the rows of a sink's tests come from.
var someLife = connectors.Incarnation{Stream: "ORDERS", Created: 1700000000000000000}

// batchOf is rows of resource 0, whose sequences begin with first.
func batchOf(t testing.TB, first uint64, bodies ...string) connectors.Batch {
	t.Helper()
	d := rows.NewDecoder(rows.Schema{})
	batch := connectors.Batch{}
	for i, body := range bodies {
		if err := d.Append([]byte(body)); err != nil {
			t.Fatal(err)
		}
		batch.Selected = append(batch.Selected, i)
		sequence := first + uint64(i)
		batch.Messages = append(batch.Messages, connectors.Message{
			Subject: "orders.created", Source: &someLife, Sequence: sequence, Time: someLife.Created + int64(sequence)})
	}
	batch.Rows = d.Batch()
	t.Cleanup(batch.Rows.Release)
	return batch
}

// numbered is n rows, {"n":first} and on.
func numbered(t testing.TB, first uint64, n int) connectors.Batch {
	t.Helper()
	bodies := make([]string, n)
	for i := range bodies {
		bodies[i] = fmt.Sprintf(`{"n":%d}`, first+uint64(i))
	}
	return batchOf(t, first, bodies...)
}

// ordersTo is a sink of the resource orders.
func ordersTo(stream, subject string, given connectors.Settings) connectors.SinkSpec {
	spec := sinkSpec(stream, subject, []string{"orders"}, []string{"orders.*"})
	for key, value := range given {
		spec.Settings[key] = value
	}
	return spec
}

func openSink(t testing.TB, c *connection, spec connectors.SinkSpec) *sink {
	t.Helper()
	s, err := c.OpenSink(t.Context(), someFlow, spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // most tests have closed it
	return s.(*sink)
}

func begin(t testing.TB, s *sink, epoch uint64) {
	t.Helper()
	if err := s.Begin(t.Context(), epoch); err != nil {
		t.Fatal(err)
	}
}

func apply(t testing.TB, s *sink, batch connectors.Batch) {
	t.Helper()
	if err := prepareAndApply(t.Context(), s, batch); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, s *sink, epoch uint64) []connectors.Receipt {
	t.Helper()
	receipts, err := s.Commit(t.Context(), epoch)
	if err != nil {
		t.Fatal(err)
	}
	return receipts
}

// prepareAndApply writes one batch.
func prepareAndApply(ctx context.Context, s *sink, batch connectors.Batch) error {
	if err := s.Prepare(ctx, batch); err != nil {
		return err
	}
	return s.Apply(ctx)
}
