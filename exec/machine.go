package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// machine runs the epochs of one flow: it is where an epoch's phases follow each
// other, and the only place that decides what is certified and acknowledged.
type machine struct {
	flow    *planner.Flow
	options Options
	bounds  connectors.Bounds

	conns     map[*planner.Connection]connectors.Connection
	source    connectors.Source
	sinks     []connectors.Sink      // nil where a session failed and is not open again
	dead      connectors.DeadLetters // nil if the flow keeps none, or as a failed sink
	ledger    connectors.Ledger
	chain     *chain
	resources []*resource

	number  uint64 // of the epoch that was begun last
	warned  map[string]bool
	totals  Totals
	phase   Phase
	entered time.Time // when the phase began
}

// epoch is one turn of the machine.
type epoch struct {
	number    uint64
	delivery  connectors.Delivery
	receipts  []connectors.Receipt
	bad       badRows
	before    [phases]time.Duration // the run's times when the epoch began
	certified bool
}

func newMachine(flow *planner.Flow, options Options) (*machine, error) {
	m := &machine{flow: flow, options: options, bounds: flow.Epoch, conns: map[*planner.Connection]connectors.Connection{},
		sinks: make([]connectors.Sink, len(flow.Sinks)), warned: map[string]bool{}, phase: Recovering, entered: time.Now()}
	if b := options.EpochBoundary; b != nil {
		if b.MaxRecords <= 0 || b.MaxWait <= 0 {
			return nil, errors.New("an epoch boundary needs a positive MaxRecords and MaxWait")
		}
		m.bounds = *b
	}
	for _, name := range flow.Resources() {
		m.resources = append(m.resources, newResource(name, flow))
	}
	return m, nil
}

// epoch reads, applies, certifies and acknowledges once. It returns ErrDrained when
// the source is drained. Where there was nothing to read nothing is certified.
func (m *machine) epoch(ctx context.Context) error {
	m.enter(Reading)
	m.number = m.chain.state.Epoch + 1
	e := &epoch{number: m.number, before: m.totals.Time, bad: badRows{action: m.flow.BadRow}}
	for phase := Reading; phase <= Acknowledging; phase++ {
		m.enter(phase)
		err := m.step(ctx, e, phase)
		if err != nil {
			m.abort(ctx, e)
			return err
		}
		if len(e.delivery.Messages()) == 0 {
			return m.stillOwner(ctx)
		}
	}
	m.count(e)
	m.emit(Event{Kind: Certified, Epoch: e.number})
	return nil
}

// ownerInterval is how often an idle flow makes sure that it is the owner still.
// Otherwise each certificate does.
const ownerInterval = 5 * time.Second

func (m *machine) stillOwner(ctx context.Context) error {
	if time.Since(m.chain.read) < ownerInterval {
		return nil
	}
	_, _, err := m.chain.own(ctx)
	return err
}

func (m *machine) step(ctx context.Context, e *epoch, phase Phase) error {
	switch phase {
	case Reading:
		return m.read(ctx, e)
	case Decoding:
		return m.decode(e)
	case Transforming:
		return m.transform(e)
	case Applying:
		return m.apply(ctx, e)
	case Committing:
		return m.commit(ctx, e)
	case Certifying:
		return m.certify(ctx, e)
	default:
		return e.delivery.Ack(ctx)
	}
}

func (m *machine) read(ctx context.Context, e *epoch) (err error) {
	e.delivery, err = m.source.Read(ctx, m.bounds, m.options.Stop)
	return err
}

// decode makes rows of the messages, in the order in which they came.
func (m *machine) decode(e *epoch) error {
	for _, r := range m.resources {
		r.begin()
	}
	messages := e.delivery.Messages()
	for i := range messages {
		r := m.resources[messages[i].Resource]
		if err := r.add(&messages[i]); err != nil {
			err = decodeFault(r.name, &messages[i], err)
			if fault, ok := errors.AsType[*RowFault](err); !ok || !e.bad.take(fault) {
				return err
			}
		}
	}
	for _, r := range m.resources {
		if len(r.messages) > 0 {
			r.batch = r.decoder.Batch()
		}
	}
	return nil
}

// transform runs the flow's steps, typed for each resource's schema.
func (m *machine) transform(e *epoch) error {
	for _, r := range m.resources {
		if r.batch == nil {
			continue
		}
		warnings, err := r.bind(r.batch.Schema(), r.decoder.Schema().Shape)
		if err != nil {
			return bindFault(r.name, r.decoder.Schema(), err)
		}
		m.warn(warnings)
		var stopped *RowFault
		r.output, err = r.run(r.batch, r.messages, func(err *expression.RowError, at *planner.Expression) bool {
			stopped = valueFault(r.name, &r.messages[err.Row], err, at)
			return e.bad.take(stopped)
		})
		if _, ok := errors.AsType[*expression.RowError](err); ok {
			return stopped
		}
		if err != nil {
			return fmt.Errorf("resource %s: %w", r.name, err)
		}
	}
	return e.bad.tooMany(len(e.delivery.Messages()))
}

// warn tells of each warning once a run: every resource may bring it again.
func (m *machine) warn(warnings lang.Diagnostics) {
	for _, w := range warnings {
		if text := w.Error(); !m.warned[text] {
			m.warned[text] = true
			m.notice(connectors.Notice{Warning: true, Text: text})
		}
	}
}

// apply gives every sink its rows, once all of them have judged them: a row that
// one cannot write goes to none.
func (m *machine) apply(ctx context.Context, e *epoch) error {
	for prepared := false; !prepared; {
		var err error
		if prepared, err = m.prepare(ctx, e); err != nil {
			return err
		}
	}
	if err := e.bad.tooMany(len(e.delivery.Messages())); err != nil {
		return err
	}
	for i, sink := range m.sinks {
		if err := sink.Apply(ctx); err != nil {
			return m.sinkFailed(i, err)
		}
	}
	return m.keepBad(ctx, e)
}

// prepare lets every sink judge its rows. It is false if some were refused, so that
// the others have to be prepared anew without them.
func (m *machine) prepare(ctx context.Context, e *epoch) (prepared bool, err error) {
	prepared = true
	for i, sink := range m.sinks {
		if err := sink.Begin(ctx, e.number); err != nil {
			return false, m.sinkFailed(i, err)
		}
		for at, r := range m.resources {
			if r.output == nil || len(r.chosen[i]) == 0 {
				continue
			}
			err := sink.Prepare(ctx, connectors.Batch{Resource: at, Rows: r.output, Messages: r.messages, Selected: r.chosen[i]})
			refused, ok := errors.AsType[connectors.RowErrors](err)
			if err != nil && !ok {
				return false, m.sinkFailed(i, err)
			}
			for _, row := range refused {
				fault := newRowFault(codeNoMessage, r.name, &r.messages[row.Row], row.Err)
				if !e.bad.take(fault) {
					return false, fault
				}
				r.exclude(row.Row)
				prepared = false
			}
		}
	}
	return prepared, nil
}

// keepBad writes the bad rows' messages as dead letters, if the flow says so.
func (m *machine) keepBad(ctx context.Context, e *epoch) error {
	if len(e.bad.faults) == 0 || m.flow.BadRow != planner.KeepBadRows {
		return nil
	}
	if err := m.dead.Write(ctx, e.bad.letters()); err != nil {
		_ = m.dead.Close() // its error is the one to tell, and an unproven letter is written again
		m.dead = nil
		return err
	}
	return nil
}

func (m *machine) commit(ctx context.Context, e *epoch) error {
	for i, sink := range m.sinks {
		receipts, err := sink.Commit(ctx, e.number)
		if err != nil {
			return m.sinkFailed(i, err)
		}
		e.receipts = append(e.receipts, receipts...)
	}
	return nil
}

// sinkFailed closes a sink whose session is over.
func (m *machine) sinkFailed(i int, err error) error {
	closed := m.sinks[i].Close()
	m.sinks[i] = nil
	if errors.Is(closed, connectors.ErrUnproven) {
		m.notice(connectors.Notice{Warning: true, Text: "some messages may still reach the destination: their acknowledgements were lost, and the epoch is not certified"})
	}
	return ofSink(err, i)
}

// certify writes the schemas that the epoch changed, and then its certificate.
func (m *machine) certify(ctx context.Context, e *epoch) error {
	state := State{Records: m.chain.state.Records, Epoch: e.number, Positions: advance(m.chain.state.Positions, e.delivery.Position()), Schemas: maps.Clone(m.chain.state.Schemas)}
	if state.Schemas == nil {
		state.Schemas = map[string]uint64{}
	}
	for _, r := range m.resources {
		if len(r.messages) == 0 {
			continue
		}
		version, err := r.save(ctx, m.ledger)
		if err != nil {
			return err
		}
		if version > 0 {
			state.Schemas[r.name] = version
		}
	}
	times := map[string]int64{}
	for phase := Reading; phase < Certifying; phase++ {
		times[phase.String()] = (m.totals.Time[phase] - e.before[phase]).Nanoseconds()
	}
	if err := m.chain.certify(ctx, state, &CertifiedEpoch{Ranges: e.delivery.Covers(), Receipts: e.receipts, Times: times}); err != nil {
		return err
	}
	e.certified = true
	for _, r := range m.resources {
		if len(r.messages) > 0 {
			r.keep(state.Schemas[r.name])
		}
	}
	return nil
}

// advance replaces the positions of the streams that were read.
func advance(positions, read []connectors.Position) []connectors.Position {
	kept := slices.DeleteFunc(slices.Clone(positions), func(p connectors.Position) bool {
		return slices.ContainsFunc(read, func(r connectors.Position) bool { return r.Stream == p.Stream })
	})
	return append(kept, read...)
}

// abort takes back what has no certificate. A certified epoch whose
// acknowledgement failed needs nothing: what comes again is suppressed.
func (m *machine) abort(ctx context.Context, e *epoch) {
	if e.certified {
		m.count(e)
		return
	}
	for i, sink := range m.sinks {
		if sink == nil {
			continue
		}
		if err := sink.Abort(ctx); err != nil {
			_ = m.sinkFailed(i, err) // the epoch has failed already
		}
	}
	if e.delivery != nil {
		e.delivery.Release(ctx)
	}
}

func (m *machine) count(e *epoch) {
	t := &m.totals
	t.Epochs++
	t.Read += uint64(len(e.delivery.Messages()))
	t.Bad += uint64(len(e.bad.letters()))
	for _, r := range m.resources {
		if r.output != nil {
			t.Dropped += uint64(r.dropped())
		}
	}
	if len(e.bad.faults) > 0 {
		m.notice(e.bad.notice())
	}
	for _, r := range e.receipts {
		t.Written += uint64(r.Rows)
		t.Bytes += uint64(r.Bytes)
		t.Duplicates += uint64(r.Duplicates)
		t.place(r)
	}
}

func (t *Totals) place(r connectors.Receipt) {
	for i := range t.Places {
		p := &t.Places[i]
		if p.Stream == r.Stream && p.Resource == r.Resource {
			p.Rows += uint64(r.Rows - r.Duplicates)
			if p.First == 0 {
				p.First = r.First
			}
			p.Last = max(p.Last, r.Last)
			return
		}
	}
	t.Places = append(t.Places, Place{Resource: r.Resource, Stream: r.Stream, Rows: uint64(r.Rows - r.Duplicates), First: r.First, Last: r.Last})
}

// enter ends the present phase and begins another, so that every moment of the
// run belongs to one.
func (m *machine) enter(p Phase) {
	now := time.Now()
	m.totals.Time[m.phase] += now.Sub(m.entered)
	m.phase, m.entered = p, now
}

func (m *machine) stopping() bool {
	select {
	case <-m.options.Stop:
		return true
	default:
		return false
	}
}

func (m *machine) emit(e Event) {
	if m.options.OnEvent == nil {
		return
	}
	e.Totals = m.snapshot()
	m.options.OnEvent(e)
}

func (m *machine) notice(n connectors.Notice) {
	if m.options.OnNotice != nil {
		m.options.OnNotice(n)
	}
}

func (m *machine) snapshot() Totals {
	t := m.totals
	t.Places = slices.Clone(m.totals.Places)
	if m.source != nil {
		stats := m.source.Stats()
		t.Redelivered, t.Pending, t.Sources = stats.Redelivered, stats.Pending, stats.Streams
	}
	for _, sink := range m.sinks {
		if sink != nil {
			stats := sink.Stats()
			t.InFlight.Messages += stats.InFlight.Messages
			t.InFlight.Bytes += stats.InFlight.Bytes
			t.Limits.Messages += stats.Limits.Messages
			t.Limits.Bytes += stats.Limits.Bytes
		}
	}
	return t
}

// closeTimeout bounds what is still said to the servers at the end.
const closeTimeout = time.Second

func (m *machine) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	for i, sink := range m.sinks {
		if sink != nil {
			_ = m.sinkFailed(i, nil)
		}
	}
	if m.dead != nil {
		_ = m.dead.Close() // whatever is not acknowledged belongs to no certified epoch
	}
	if m.source != nil {
		if err := m.source.Close(ctx); err != nil {
			m.notice(connectors.Notice{Warning: true, Text: err.Error()})
		}
	}
	for _, conn := range m.conns {
		conn.Close()
	}
}
