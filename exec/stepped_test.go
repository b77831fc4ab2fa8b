package exec_test

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/planner"
)

// steps are the moments of a run at which a test may interfere: before and after each
// request to a server that matters. The requests themselves are the real ones.
type steps struct {
	// at is called with the step's name, "before commit V1" or "after ack". Its error
	// takes the place of the request, or of its answer.
	at func(step string) error
	// seek changes where a source is to begin; nil leaves it.
	seek func(from []connectors.Position) []connectors.Position
	// commit is called before a transaction commits a place.
	commit func(ctx context.Context, t connectors.Transaction, place int)
	// unfenced leaves former markers as they are.
	unfenced bool

	mu   sync.Mutex
	seen []string
}

// around runs a request between its two moments.
func (s *steps) around(name string, request func() error) error {
	if err := s.step("before " + name); err != nil {
		return err
	}
	if err := request(); err != nil {
		return err
	}
	return s.step("after " + name)
}

func (s *steps) step(name string) error {
	s.mu.Lock()
	if !slices.Contains(s.seen, name) {
		s.seen = append(s.seen, name)
	}
	s.mu.Unlock()
	if s.at == nil {
		return nil
	}
	return s.at(name)
}

// kind is the connector for NATS with these steps.
func (s *steps) kind() connectors.Kind { return s.within(nats.Kind()) }

// within is a connector with these steps.
func (s *steps) within(kind connectors.Kind) connectors.Kind {
	open := kind.Open
	kind.Open = func(ctx context.Context, name string, settings connectors.Settings, report func(connectors.Notice)) (connectors.Connection, error) {
		conn, err := open(ctx, name, settings, report)
		if err != nil {
			return nil, err
		}
		return &steppedConnection{conn, s}, nil
	}
	return kind
}

func (w *world) steppedPlan(text string, s *steps) *planner.Flow {
	w.t.Helper()
	return w.planWith(text, s.kind())
}

type steppedConnection struct {
	connectors.Connection
	steps *steps
}

func (c *steppedConnection) OpenTransaction(ctx context.Context, flow connectors.Identity, specs []connectors.SinkSpec) (connectors.Transaction, error) {
	t, err := c.Connection.(connectors.Transactor).OpenTransaction(ctx, flow, specs)
	if err != nil {
		return nil, err
	}
	return &steppedTransaction{t, c.steps}, nil
}

func (c *steppedConnection) ReadMarker(ctx context.Context, at connectors.MarkedPlace) (connectors.Marker, error) {
	return c.Connection.(connectors.Transactor).ReadMarker(ctx, at)
}

func (c *steppedConnection) Supersede(ctx context.Context, flow string, former connectors.Marker, content []byte) error {
	if c.steps.unfenced {
		return nil
	}
	return c.steps.around("supersede "+former.Stream, func() error {
		return c.Connection.(connectors.Transactor).Supersede(ctx, flow, former, content)
	})
}

func (c *steppedConnection) OpenSource(ctx context.Context, flow connectors.Identity, specs []connectors.SourceSpec, options connectors.SourceOptions) (connectors.Source, error) {
	source, err := c.Connection.OpenSource(ctx, flow, specs, options)
	return &steppedSource{source, c.steps}, err
}

func (c *steppedConnection) OpenSink(ctx context.Context, flow connectors.Identity, spec connectors.SinkSpec) (connectors.Sink, error) {
	sink, err := c.Connection.OpenSink(ctx, flow, spec)
	if err != nil {
		return nil, err
	}
	return &steppedSink{sink, c.steps}, nil
}

func (c *steppedConnection) OpenLedger(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	ledger, err := c.Connection.OpenLedger(ctx, flow)
	return c.stepped(ledger), err
}

func (c *steppedConnection) FindLedger(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	ledger, err := c.Connection.FindLedger(ctx, flow)
	if ledger == nil {
		return nil, err
	}
	return c.stepped(ledger), err
}

func (c *steppedConnection) stepped(ledger connectors.Ledger) connectors.Ledger {
	return &faultyLedger{Ledger: ledger, append: func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (version uint64, err error) {
		err = c.steps.around("append "+chain, func() error {
			version, err = l.Append(ctx, chain, previous, data)
			return err
		})
		return version, err
	}}
}

type steppedTransaction struct {
	connectors.Transaction
	steps *steps
}

func (t *steppedTransaction) name(what string, place int) string {
	return fmt.Sprintf("%s %s", what, t.Places()[place].Stream)
}

func (t *steppedTransaction) Marker(ctx context.Context, place int) (m connectors.Marker, err error) {
	err = t.steps.around(t.name("marker", place), func() error {
		m, err = t.Transaction.Marker(ctx, place)
		return err
	})
	return m, err
}

func (t *steppedTransaction) Mark(ctx context.Context, place int, content []byte) (m connectors.Marker, err error) {
	err = t.steps.around(t.name("mark", place), func() error {
		m, err = t.Transaction.Mark(ctx, place, content)
		return err
	})
	return m, err
}

func (t *steppedTransaction) Commit(ctx context.Context, seal connectors.Seal) (receipts []connectors.Receipt, m connectors.Marker, err error) {
	err = t.steps.around(t.name("commit", seal.Place), func() error {
		if t.steps.commit != nil {
			t.steps.commit(ctx, t.Transaction, seal.Place)
		}
		receipts, m, err = t.Transaction.Commit(ctx, seal)
		return err
	})
	return receipts, m, err
}

type steppedSource struct {
	connectors.Source
	steps *steps
}

func (s *steppedSource) Seek(ctx context.Context, records string, from []connectors.Position) (good []connectors.Position, err error) {
	err = s.steps.around("seek", func() error {
		if s.steps.seek != nil {
			from = s.steps.seek(from)
		}
		good, err = s.Source.Seek(ctx, records, from)
		return err
	})
	return good, err
}

func (s *steppedSource) Read(ctx context.Context, bounds connectors.Bounds, stop <-chan struct{}) (connectors.Delivery, error) {
	d, err := s.Source.Read(ctx, bounds, stop)
	if err != nil || len(d.Messages()) == 0 {
		return d, err
	}
	return &steppedDelivery{d, s.steps}, s.steps.step("after read")
}

type steppedDelivery struct {
	connectors.Delivery
	steps *steps
}

func (d *steppedDelivery) Ack(ctx context.Context) error {
	return d.steps.around("ack", func() error { return d.Delivery.Ack(ctx) })
}

type steppedSink struct {
	connectors.Sink
	steps *steps
}

func (s *steppedSink) Apply(ctx context.Context) error {
	return s.steps.around("apply", func() error { return s.Sink.Apply(ctx) })
}
