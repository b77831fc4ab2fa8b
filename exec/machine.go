package exec

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// machine runs the epochs of one flow: it is where an epoch's phases follow each
// other, and the only place that decides what is certified and acknowledged.
//
// While one epoch is written the next one is read, decoded and transformed, by the
// machine's reading half in a goroutine of its own. Everything else, order included,
// is decided in the run's own goroutine, which takes one epoch at a time.
type machine struct {
	flow    *planner.Flow
	options Options
	bounds  connectors.Bounds

	conns     map[*planner.Connection]connectors.Connection
	source    connectors.Source
	sinks     []connectors.Sink      // nil where a session failed and is not open again
	dead      connectors.DeadLetters // nil if the flow keeps none, or as a failed sink
	exactly   exactly
	ledger    connectors.Ledger
	chain     *chain
	claimed   sighting
	over      func() // called at the end: the owner runs no more
	resources []*resource

	slots  [2]*epoch // the one that is written and the one that is read, in turn
	reads  int
	ahead  *ahead // what is read for the next turn; nil if nothing is
	warned map[string]bool
	badLog badLog
	totals Totals
	clock  clock
	number uint64 // of the epoch that was taken last
	phase  Phase  // in which it failed, if it did
	failed *Done  // what it was then

	handle *Handle
	mu     sync.Mutex // guards what a handle shows: sinks, source, totals, and shown
	shown  shown
}

func newMachine(flow *planner.Flow, options Options) (*machine, error) {
	m := &machine{flow: flow, options: options, bounds: flow.Epoch, conns: map[*planner.Connection]connectors.Connection{},
		sinks: make([]connectors.Sink, len(flow.Sinks)), warned: map[string]bool{}}
	m.clock.start()
	if m.handle = options.Handle; m.handle == nil {
		m.handle = NewHandle()
	}
	m.handle.attach(m)
	if b := options.EpochBoundary; b != nil {
		if b.MaxRecords <= 0 || b.MaxWait <= 0 {
			return nil, errors.New("an epoch boundary needs a positive MaxRecords and MaxWait")
		}
		m.bounds = *b
	}
	m.exactly.groups = groupSinks(flow)
	if most := flow.AtomicRecords(); most > 0 {
		m.bounds.MaxRecords = min(m.bounds.MaxRecords, most)
	}
	owner, over := newOwner()
	m.chain, m.over = &chain{flow: flow.Identity.String(), fingerprint: flow.Fingerprint, owner: owner}, over
	for _, name := range flow.Resources() {
		m.resources = append(m.resources, &resource{name: name, declared: flow.Schema, schema: flow.Schema, newest: flow.Schema})
	}
	for i := range m.slots {
		m.slots[i] = newEpoch(m.resources, flow)
	}
	return m, nil
}

// turn takes the epoch that was read ahead, has the next one read meanwhile, and
// writes, certifies and acknowledges the first. It returns ErrDrained when the source
// is drained. Where there was nothing to read nothing is certified.
func (m *machine) turn(ctx context.Context) error {
	m.tellBad(time.Now())
	e, err := m.take(ctx)
	if err == nil && len(e.delivery.Messages()) > 0 {
		if pausing, _ := m.handle.pausing(); !m.stopping() && !pausing {
			m.readAhead(ctx)
		}
		err = m.write(ctx, e)
		if e.certified {
			m.count(e)
			m.emit(Event{Kind: Certified, Epoch: e.number, Done: m.done(e)})
		}
	}
	if err != nil {
		m.drop(ctx)
		if m.phase = e.phase; !e.certified {
			m.failed = m.done(e)
		}
		m.abort(ctx, e)
	}
	return err
}

// write brings an epoch that was read to its end, phase by phase.
func (m *machine) write(ctx context.Context, e *epoch) error {
	for phase := Applying; phase <= Acknowledging; phase++ {
		m.clock.write(phase)
		if err := e.timed(phase, func() error { return m.step(ctx, e, phase) }); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) step(ctx context.Context, e *epoch, phase Phase) error {
	switch phase {
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

// apply gives every sink its rows, once all of them have judged them: a row that
// one cannot write goes to none.
func (m *machine) apply(ctx context.Context, e *epoch) error {
	for prepared := false; !prepared; {
		var err error
		if prepared, err = m.prepare(ctx, e); err != nil {
			return err
		}
	}
	if err := m.tooMany(e); err != nil {
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
		for at, p := range e.parts {
			if p.output == nil || len(p.chosen[i]) == 0 {
				continue
			}
			err := sink.Prepare(ctx, connectors.Batch{Resource: at, Rows: p.output, Messages: p.messages, Selected: p.chosen[i]})
			refused, ok := errors.AsType[connectors.RowErrors](err)
			if err != nil && !ok {
				return false, m.sinkFailed(i, err)
			}
			for _, row := range refused {
				fault := newRowFault(codeNoMessage, p.name, &p.messages[row.Row], row.Err)
				if !e.bad.take(fault) {
					return false, fault
				}
				p.exclude(row.Row)
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
	letters := e.bad.letters()
	for _, g := range m.exactly.groups {
		var err error
		if letters, err = g.open.Keep(m.dead, letters); err != nil {
			return err
		}
	}
	if len(letters) == 0 {
		return nil
	}
	if err := m.dead.Write(ctx, letters); err != nil {
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
		e.receipts = append(e.receipts, signed(m.flow.Sinks[i].Connection.Name, receipts)...)
	}
	if len(m.exactly.seats) == 0 {
		return nil
	}
	if err := m.settle(ctx, e); err != nil {
		return err
	}
	return m.seal(ctx, e)
}

// sinkFailed closes a sink whose session is over.
func (m *machine) sinkFailed(i int, err error) error {
	if g := m.exactly.groupOf(i); g != nil && g.open != nil {
		return m.groupFailed(g, ofSink(err, slices.Index(g.sinks, i)))
	}
	unproven := errors.Is(m.sinks[i].Close(), connectors.ErrUnproven)
	m.leaveSink(i)
	if unproven {
		m.show(func(s *shown) { s.unproven = true })
		m.notice(connectors.Notice{Warning: true, Text: "some messages may still reach the destination: their acknowledgements were lost, and the epoch is not certified"})
	}
	return ofSink(err, i)
}

// certify writes an epoch's certificate.
func (m *machine) certify(ctx context.Context, e *epoch) error {
	if e.state == nil {
		if err := m.settle(ctx, e); err != nil {
			return err
		}
	}
	certificate := e.certificate()
	if err := m.chain.certify(ctx, *e.state, &certificate); err != nil {
		return err
	}
	e.certified = true
	for _, p := range e.parts {
		if len(p.messages) > 0 {
			p.resource.schema, p.version = p.decoder.Schema(), e.state.Schemas[p.name]
		}
	}
	return nil
}

// settle writes the schemas that the epoch changed, and says what holds after it.
func (m *machine) settle(ctx context.Context, e *epoch) error {
	state := State{Records: m.chain.state.Records, Epoch: e.number, Positions: advance(m.chain.state.Positions, e.delivery.Position()), Schemas: maps.Clone(m.chain.state.Schemas)}
	if state.Schemas == nil {
		state.Schemas = map[string]uint64{}
	}
	for _, p := range e.parts {
		if len(p.messages) == 0 {
			continue
		}
		version, err := p.save(ctx, m.ledger, p.decoder.Schema())
		if err != nil {
			return err
		}
		if version > 0 {
			state.Schemas[p.name] = version
		}
	}
	e.state = &state
	return nil
}

// advance replaces the positions of the streams that were read.
func advance(positions, read []connectors.Position) []connectors.Position {
	kept := slices.DeleteFunc(slices.Clone(positions), func(p connectors.Position) bool {
		return slices.ContainsFunc(read, func(r connectors.Position) bool { return r.Stream == p.Stream })
	})
	return append(kept, read...)
}

// abort takes back what has no certificate; what was read behind it is dropped before.
// A certified epoch whose acknowledgement failed needs nothing more: what comes again
// is suppressed.
func (m *machine) abort(ctx context.Context, e *epoch) {
	if e.certified {
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

func (m *machine) stopping() bool {
	select {
	case <-m.options.Stop:
		return true
	default:
		return false
	}
}

func (m *machine) setSink(i int, sink connectors.Sink) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sinks[i] = sink
}

// leaveSink forgets a sink that is closed, but for how long it waited.
func (m *machine) leaveSink(i int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown.waited = m.shown.waited.Add(m.sinks[i].Stats().Waited)
	m.sinks[i] = nil
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

// closeTimeout bounds what is still said to the servers at the end.
const closeTimeout = time.Second

func (m *machine) close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	m.badLog.told = time.Time{} // the last ones are told in any case
	m.tellBad(time.Now())
	m.closeSinks()
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
	m.over()
}
