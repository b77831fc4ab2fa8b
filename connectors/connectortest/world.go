package connectortest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/flowlang/flow/connectors"
)

// World is a system as one test finds it, with nothing in it but an empty source
// stream.
type World struct {
	// Connect opens a connection. Each test ends those that it made.
	Connect func() connectors.Connection
	// Source reads the source stream, and Publish stores messages there.
	Source  connectors.SourceSpec
	Publish func(bodies ...string)
	// Remake deletes the source stream and makes it again, empty.
	Remake func()
	// Sink writes into a destination that is made when it is missing. Its one resource
	// is Source.Resource, and a row whose column text is Refused is one that it refuses.
	Sink    connectors.SinkSpec
	Refused string
	Dead    connectors.DeadLetterSpec
	// Exactly are two sinks of the same resource that write exactly once, each into a
	// destination of its own that is made when it is missing; both refuse what Sink does.
	// There are none if the system has no transactions. DeadInside goes into the first
	// one's destination once that is there, and AtomicRows is that of the Kind.
	Exactly    []connectors.SinkSpec
	DeadInside connectors.DeadLetterSpec
	AtomicRows int
	// Cut breaks every link to the system for a moment.
	Cut func()
}

// Flow is the flow of the tests.
var Flow = connectors.Identity{Namespace: "default", Flow: "suite"}

// records is the name of the flow's records in its ledger.
const records = "RECORDS"

// patience bounds what has to happen soon.
const patience = 20 * time.Second

// Run runs the whole suite but for ledgers; open makes a world for each test.
func Run(t *testing.T, open func(t *testing.T) World) {
	for _, group := range []map[string]func(*testing.T, World){sourceTests, deliveryTests, sinkTests, deadLetterTests, archiveTests} {
		for name, test := range group {
			t.Run(name, func(t *testing.T) { test(t, open(t)) })
		}
	}
	for name, test := range transactionTests {
		t.Run(name, func(t *testing.T) {
			w := open(t)
			if w.Exactly == nil {
				t.Skip("the system has no transactions")
			}
			test(t, w)
		})
	}
	Ledger(t, func(t *testing.T) func(connectors.Identity) connectors.Ledger {
		w := open(t)
		return func(flow connectors.Identity) connectors.Ledger {
			l, err := w.Connect().OpenLedger(t.Context(), flow)
			must(t, err)
			return l
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits for a condition, within patience.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("expected within %s: %s", patience, what)
		}
	}
}

// numbered are n bodies {"n":1} and on, from a number on.
func numbered(from, n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"n":%d}`, from+i))
	}
	return all
}

// reader is an open source with what the tests ask of it.
type reader struct {
	t      testing.TB
	conn   connectors.Connection
	source connectors.Source
}

// read opens a source and positions it at the beginning.
func (w World) read(t testing.TB, options connectors.SourceOptions) reader {
	t.Helper()
	r := w.open(t, options)
	r.seek()
	return r
}

func (w World) open(t testing.TB, options connectors.SourceOptions) reader {
	t.Helper()
	if options.Epoch.MaxRecords == 0 {
		options.Epoch = bounds(1000)
	}
	conn := w.Connect()
	source, err := conn.OpenSource(t.Context(), Flow, []connectors.SourceSpec{w.Source}, options)
	must(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := source.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return reader{t, conn, source}
}

// bounds are those that only a number of records meets.
func bounds(n int) connectors.Bounds { return connectors.Bounds{MaxRecords: n, MaxWait: patience} }

func (r reader) seek(from ...connectors.Position) []connectors.Position {
	r.t.Helper()
	must(r.t, r.conn.Await(r.t.Context()))
	good, err := r.source.Seek(r.t.Context(), records, from)
	must(r.t, err)
	return good
}

func (r reader) next(b connectors.Bounds) connectors.Delivery {
	r.t.Helper()
	d, err := r.source.Read(r.t.Context(), b, nil)
	must(r.t, err)
	return d
}

// whole reads an epoch, from the positions anew as often as it is interrupted: what
// the other end had begun to give to somebody else may cut it.
func (r reader) whole(n int, from ...connectors.Position) connectors.Delivery {
	r.t.Helper()
	for range 10 {
		d, err := r.source.Read(r.t.Context(), bounds(n), nil)
		if err == nil {
			return d
		}
		if !errors.Is(err, connectors.ErrInterrupted) {
			r.t.Fatal(err)
		}
		r.seek(from...)
	}
	r.t.Fatal("it is interrupted again and again")
	return nil
}

// interrupted reads until it has to be sought anew.
func (r reader) interrupted() {
	r.t.Helper()
	eventually(r.t, "reading is interrupted", func() bool {
		_, err := r.source.Read(r.t.Context(), connectors.Bounds{MaxRecords: 1000, MaxWait: 50 * time.Millisecond}, nil)
		if err != nil && !errors.Is(err, connectors.ErrInterrupted) && !connectors.Retryable(err) {
			r.t.Fatal(err)
		}
		return errors.Is(err, connectors.ErrInterrupted)
	})
}

func (r reader) ack(d connectors.Delivery) {
	r.t.Helper()
	must(r.t, d.Ack(r.t.Context()))
}

// unread is how many messages the other end keeps for the flow.
func (r reader) unread() uint64 {
	r.t.Helper()
	left, err := r.conn.Remains(r.t.Context(), Flow)
	must(r.t, err)
	if len(left.Readers) != 1 {
		r.t.Fatalf("expected one reader, found %+v", left.Readers)
	}
	return left.Readers[0].Unread
}

func bodies(d connectors.Delivery) []string {
	var all []string
	for _, m := range d.Messages() {
		all = append(all, string(m.Data))
	}
	return all
}

func expectBodies(t testing.TB, d connectors.Delivery, want []string) {
	t.Helper()
	if got := bodies(d); !slices.Equal(got, want) {
		t.Fatalf("expected %q, found %q", want, got)
	}
}

// schema is that of the rows that sinks are given.
var schema = arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}, {Name: "text", Type: arrow.BinaryTypes.String}}, nil)

// batch is rows with the columns n and text, each from a message of its own.
func batch(texts ...string) connectors.Batch {
	builder := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer builder.Release()
	b := connectors.Batch{}
	life := &connectors.Incarnation{Stream: "FROM", Created: 1}
	for i, text := range texts {
		builder.Field(0).(*array.Int64Builder).Append(int64(i + 1))
		builder.Field(1).(*array.StringBuilder).Append(text)
		b.Messages = append(b.Messages, connectors.Message{Subject: "from.a", Source: life, Sequence: uint64(i + 1), Time: int64(i + 1)})
		b.Selected = append(b.Selected, i)
	}
	b.Rows = builder.NewRecordBatch()
	return b
}
