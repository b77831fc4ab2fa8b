package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// ErrStopped says that a run was to stop while an epoch failed: what Stop would
// have certified is not.
var ErrStopped = errors.New("stopped before the open epoch was certified")

// Run runs one flow until it is caught up, stopped or failed, and returns its
// totals in any case. A cancelled context aborts the open epoch; its cause is
// the error then.
func Run(ctx context.Context, flow *planner.Flow, options Options) (Totals, error) {
	m, err := newMachine(flow, options)
	if err != nil {
		return Totals{}, err
	}
	defer m.close()
	defer m.closeWhenStopped()()
	opening, opened := m.untilStopped(ctx)
	err = m.open(opening)
	opened()
	switch {
	case err == nil:
		err = m.loop(ctx)
	case m.stopping() && ctx.Err() == nil:
		err = nil // nothing had begun
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, ctx.Err()) {
		err = cause
	}
	m.show(func(s *shown) { s.over, s.err = true, err })
	return m.snapshot(), err
}

// closeWhenStopped closes the open epoch once the run is to stop, and until it ends.
func (m *machine) closeWhenStopped() (release func()) {
	ended := make(chan struct{})
	go func() {
		select {
		case <-m.options.Stop:
			m.handle.stop()
		case <-ended:
		}
	}()
	return func() { close(ended) }
}

// open connects, and makes this process the flow's owner, which may be only once
// another one has stopped. Nothing else is retried: at the start a person is there to
// read why.
func (m *machine) open(ctx context.Context) error {
	if err := m.connect(ctx); err != nil {
		return err
	}
	m.show(func(s *shown) { s.conn = m.conn() })
	m.emit(Event{Kind: Connected, Text: m.conn().String()})
	err := m.enter(ctx)
	if errors.Is(err, errHeld) {
		return m.standBy(ctx)
	}
	return err
}

// conn is the connection of the sources, and of the ledger unless that is elsewhere.
func (m *machine) conn() connectors.Connection { return m.conns[m.flow.Sources[0].Connection] }

// connectionNamed is the flow's connection of that name; nil if it has none.
func (m *machine) connectionNamed(connection string) connectors.Connection {
	for c, conn := range m.conns {
		if c.Name == connection {
			return conn
		}
	}
	return nil
}

// openSource opens the source, anew if it is open.
func (m *machine) openSource(ctx context.Context) error {
	options := connectors.SourceOptions{UntilCaughtUp: m.options.UntilCaughtUp, Epoch: m.bounds, Fingerprint: m.flow.Fingerprint, Idle: m.clock.idle}
	if m.options.Adopt != "" {
		options.Inherits = connectors.Identity{Namespace: m.flow.Namespace, Flow: m.options.Adopt}
	}
	source, err := m.conn().OpenSource(ctx, m.flow.Identity, m.flow.SourceSpecs(), options)
	if err != nil {
		return err
	}
	m.mu.Lock()
	former := m.source
	m.source = source
	m.mu.Unlock()
	if former != nil {
		_ = former.Close(ctx) // it never held anything
	}
	return nil
}

// findLedger opens the ledger where there is one.
func (m *machine) findLedger(ctx context.Context) (found bool, err error) {
	if m.options.Ledger != nil || m.ledger != nil {
		return true, m.openLedger(ctx)
	}
	m.ledger, err = m.conn().FindLedger(ctx, m.flow.Identity)
	m.chain.ledger = m.ledger
	return m.ledger != nil, err
}

// openLedger opens the ledger, and makes it where it is missing.
func (m *machine) openLedger(ctx context.Context) (err error) {
	if m.ledger == nil {
		m.ledger, err = m.ledgerOf(ctx, m.flow.Identity)
		m.chain.ledger = m.ledger
	}
	return err
}

func (m *machine) ledgerOf(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	if m.options.Ledger != nil {
		return m.options.Ledger(ctx, flow)
	}
	return m.conn().OpenLedger(ctx, flow)
}

func (m *machine) connect(ctx context.Context) error {
	for i, c := range m.flow.Connections() {
		settings, err := c.Settings.Resolve(c.Kind.Connection)
		if err != nil {
			return ofConnection(err, i)
		}
		conn, err := c.Kind.Open(ctx, c.Name, settings, m.notice)
		if err != nil {
			return ofConnection(err, i)
		}
		m.conns[c] = conn
	}
	return nil
}

// ofConnection tells which of the flow's connections a setting belongs to.
func ofConnection(err error, i int) error {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Key != "" {
		e.Role, e.Spec = connectors.ConnectionRole, i
	}
	return err
}

// openSinks opens those that are not open, and lets the source keep clear of them.
func (m *machine) openSinks(ctx context.Context) error {
	for i, s := range m.flow.Sinks {
		if m.sinks[i] != nil || s.Spec.ExactlyOnce() {
			continue
		}
		spec, err := s.Resolved()
		if err != nil {
			return ofSink(err, i)
		}
		sink, err := m.conns[s.Connection].OpenSink(ctx, m.flow.Identity, spec)
		if err != nil {
			return ofSink(err, i)
		}
		m.setSink(i, sink)
		if err := m.source.Avoid(sink.Targets()); err != nil {
			return ofSink(err, i)
		}
	}
	return m.openGroups(ctx)
}

// openDead opens the dead letters, if the flow keeps them and they are not open.
func (m *machine) openDead(ctx context.Context) error {
	d := m.flow.Dead
	if d == nil || m.dead != nil {
		return nil
	}
	dead, err := m.conns[d.Connection].OpenDeadLetters(ctx, m.flow.Identity, d.Spec)
	if err != nil {
		return err
	}
	m.dead = dead
	return m.source.Avoid(dead.Targets())
}

// ofSink tells which of the flow's sinks an error is about: a sink does not know.
func ofSink(err error, i int) error {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Role == connectors.SinkRole {
		e.Spec = i
	}
	return err
}

// loop runs epochs, recovering after each failure that may pass.
func (m *machine) loop(ctx context.Context) error {
	failures := 0
	recovered := false
	for {
		var err error
		if !recovered {
			if err = m.recover(ctx, failures > 0); err == nil {
				recovered = true
				m.show(func(s *shown) { s.failing, s.unproven, s.err = false, false, nil })
				if failures > 0 {
					m.emit(Event{Kind: Recovered, Epoch: m.chain.state.Epoch})
				}
				if pausing, _ := m.handle.pausing(); pausing {
					failures = 0 // no epoch tells that all is well again
				}
			}
		}
		if err == nil {
			err = m.rest(ctx)
		}
		if err == nil {
			if err = m.turn(ctx); err == nil {
				failures = 0
			}
		}
		if errors.Is(err, connectors.ErrDrained) {
			return nil
		}
		if err == nil {
			if m.stopping() && m.ahead == nil {
				return nil
			}
			continue
		}
		recovered = false
		failures++
		if err := m.await(ctx, err, failures); err != nil {
			return err
		}
	}
}

// recover opens what failed, and goes back to the last certified position; again says
// that it is not the start.
func (m *machine) recover(ctx context.Context, again bool) error {
	m.clock.write(Recovering)
	m.number, m.phase, m.failed = m.chain.state.Epoch+1, Recovering, nil
	if err := m.awaitConnection(ctx); err != nil {
		return err
	}
	if again {
		m.leaveLost(ctx)
	}
	if err := m.openSinks(ctx); err != nil {
		return err
	}
	if err := m.openDead(ctx); err != nil {
		return err
	}
	if err := m.refresh(ctx); err != nil {
		return err
	}
	if err := m.reconcile(ctx); err != nil {
		return err
	}
	if err := m.mark(ctx); err != nil {
		return err
	}
	for _, r := range m.resources {
		if err := r.load(ctx, m.ledger, m.chain.state.Schemas[r.name]); err != nil {
			return err
		}
	}
	positions, err := m.source.Seek(ctx, m.chain.state.Records, m.chain.state.Positions)
	if err != nil {
		if _, _, lost := m.chain.own(ctx); errors.Is(lost, connectors.ErrSuperseded) {
			return lost // whoever reads there now is why
		}
		return err
	}
	return m.chain.place(ctx, positions, m.exactly.names())
}

// refresh reads the newest record again. It may certify an epoch that seemed to have
// failed, as the answer to its certificate was lost.
func (m *machine) refresh(ctx context.Context) error {
	known := m.chain.state.Epoch
	last, err := m.chain.refresh(ctx)
	if err == nil && last.Epoch != nil && last.State.Epoch > known {
		m.tellFrom(last.State.Epoch, *last.Epoch)
	}
	return err
}

// leaveLost closes the sinks whose session ended while they had nothing to send, as when
// their server was restarted: the next epoch would find it only after it was read.
func (m *machine) leaveLost(ctx context.Context) {
	for i := range m.sinks {
		if m.sinks[i] == nil {
			continue
		}
		if err := m.sinks[i].Begin(ctx, m.number); err != nil {
			_ = m.sinkFailed(i, err) // it is opened anew, which tells what is wrong still
		}
	}
}

// awaitConnection waits until the source's connection is up; a stop ends the wait,
// since there is nothing open to finish.
func (m *machine) awaitConnection(ctx context.Context) error {
	ctx, release := m.untilStopped(ctx)
	defer release()
	err := m.conn().Await(ctx)
	switch {
	case err == nil:
		return nil
	case m.stopping(): // which is why err says that the wait was cut
		return connectors.Errorf(connectors.Disconnected, "the source's connection is down")
	case connectors.ClassOf(err) == connectors.Environment: // it will not come back
		return err
	}
	return connectors.Errorf(connectors.Disconnected, "the source's connection is down: %w", err)
}

// untilStopped is a context that ends when the run is to stop, too.
func (m *machine) untilStopped(ctx context.Context) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-m.options.Stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// maxReconnectWait bounds the wait after a lost connection: it is over when the
// server is back, which costs little to find out.
const maxReconnectWait = 2 * time.Second

// await waits before the next try after a failure that may pass, and returns any other.
func (m *machine) await(ctx context.Context, err error, failures int) error {
	goOn, atOnce := recoverable(err)
	retry := m.flow.Retry
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !goOn:
		return err
	case m.stopping():
		return fmt.Errorf("%w; it is read again at the next start: %w", ErrStopped, err)
	case retry.Times > 0 && failures > retry.Times:
		return fmt.Errorf("given up after %d tries: %w", failures, err)
	}
	wait := time.Duration(0)
	if !atOnce || failures > 1 {
		wait = backoff(retry, failures)
	}
	if connectors.ClassOf(err) == connectors.Disconnected {
		wait = min(wait, maxReconnectWait)
	}
	m.show(func(s *shown) { s.failing, s.err = true, err })
	m.emit(Event{Kind: Retrying, Epoch: m.number, Err: err, Phase: m.phase, After: wait, Try: failures, Done: m.failed})
	m.clock.write(Waiting)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-m.options.Stop:
		return m.await(ctx, err, failures) // which now sees that it is stopping
	case <-time.After(wait):
		return nil
	}
}

// backoff doubles from the retry's first wait to its longest.
func backoff(r planner.Retry, failures int) time.Duration {
	wait := r.Min
	for i := 1; i < failures && wait < r.Max; i++ {
		wait *= 2
	}
	return min(wait, r.Max)
}
