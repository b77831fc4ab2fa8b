package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// ahead is an epoch that is read, decoded and transformed while the one before it is
// written. It touches what belongs to reading only: the source, its epoch's own
// buffers, and the schemas that come of decoding, which count once they are certified.
type ahead struct {
	epoch  *epoch
	cancel context.CancelFunc
	done   chan error // of capacity 1
}

// readAhead begins to read the next epoch. At most one is read at a time.
func (m *machine) readAhead(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	e := m.slots[m.reads%len(m.slots)]
	m.reads++
	e.begin(m.flow.BadRow)
	a := &ahead{epoch: e, cancel: cancel, done: make(chan error, 1)}
	m.ahead = a
	m.show(func(s *shown) { s.ahead = true })
	go func() { a.done <- m.fill(ctx, e) }()
}

// fill reads one epoch, and makes of it what is to be written.
func (m *machine) fill(ctx context.Context, e *epoch) error {
	for phase := Reading; phase <= Transforming; phase++ {
		m.clock.read(phase)
		err := e.timed(phase, func() error {
			switch phase {
			case Reading:
				return m.read(ctx, e)
			case Decoding:
				return m.decode(e)
			default:
				return m.transform(e)
			}
		})
		if err != nil || len(e.delivery.Messages()) == 0 {
			return err
		}
	}
	m.clock.read(Reading)
	return nil
}

// ownerInterval is how often an idle flow makes sure that it is the owner still.
// Otherwise each certificate does.
const ownerInterval = 2 * time.Second

// take waits for the epoch that is read ahead, which it begins if it is not.
func (m *machine) take(ctx context.Context) (*epoch, error) {
	if m.ahead == nil {
		m.readAhead(ctx)
	}
	m.clock.write(Reading)
	a := m.ahead
	m.number = m.chain.state.Epoch + 1
	a.epoch.number = m.number
	m.show(func(s *shown) { s.epoch, s.messages, s.ahead = m.number, 0, false })
	look := time.NewTimer(time.Until(m.chain.read.Add(ownerInterval)))
	defer look.Stop()
	for {
		select {
		case err := <-a.done:
			a.cancel()
			m.ahead = nil
			if err == nil {
				m.show(func(s *shown) { s.messages = len(a.epoch.delivery.Messages()) })
				m.clock.begin(a.epoch.times)
			}
			return a.epoch, err
		case <-look.C:
			if _, _, err := m.chain.own(ctx); err != nil {
				return a.epoch, err
			}
			look.Reset(ownerInterval)
		}
	}
}

// drop ends what is read ahead, and hands it back untouched.
func (m *machine) drop(ctx context.Context) {
	if m.ahead == nil {
		return
	}
	m.ahead.cancel()
	_, e := <-m.ahead.done, m.ahead.epoch // whatever the error is, it is read again
	if e.delivery != nil {
		e.delivery.Release(ctx)
		e.delivery = nil
	}
	m.ahead = nil
	m.show(func(s *shown) { s.ahead = false })
}

// restInterval is how often a paused run looks whether its source was interrupted.
const restInterval = 50 * time.Millisecond

// rest waits while the run is paused and nothing is read ahead, and makes sure
// meanwhile that it is the owner still.
func (m *machine) rest(ctx context.Context) error {
	pausing, resumed := m.handle.pausing()
	if !pausing || m.ahead != nil || m.stopping() {
		return nil
	}
	m.clock.write(Pausing)
	m.show(func(s *shown) { s.paused = true })
	defer m.show(func(s *shown) { s.paused = false })
	look := time.NewTicker(restInterval)
	defer look.Stop()
	for {
		select {
		case <-resumed:
			return nil
		case <-m.options.Stop:
			return connectors.ErrDrained // nothing is open
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
		if m.source.Stats().Interrupted { // whoever asks for nothing more looks gone to a standby
			return fmt.Errorf("the run is paused, and its source has to go back: %w", connectors.ErrInterrupted)
		}
		if time.Since(m.chain.read) < ownerInterval {
			continue
		}
		if _, _, err := m.chain.own(ctx); err != nil {
			return err
		}
	}
}

func (m *machine) read(ctx context.Context, e *epoch) (err error) {
	e.delivery, err = m.source.Read(ctx, m.bounds, m.handle.close())
	return err
}

// decode makes rows of the messages, in the order in which they came.
func (m *machine) decode(e *epoch) error {
	for _, p := range e.parts {
		p.decoder.Reset(p.newest)
	}
	messages := e.delivery.Messages()
	for i := range messages {
		p := e.parts[messages[i].Resource]
		if err := p.add(&messages[i]); err != nil {
			err = decodeFault(p.name, &messages[i], err)
			if fault, ok := errors.AsType[*RowFault](err); !ok || !e.bad.take(fault) {
				return err
			}
		}
	}
	for _, p := range e.parts {
		if len(p.messages) > 0 {
			p.batch, p.newest = p.decoder.Batch(), p.decoder.Schema()
		}
	}
	return nil
}

// transform runs the flow's steps, typed for each resource's schema.
func (m *machine) transform(e *epoch) error {
	for _, p := range e.parts {
		if p.batch == nil {
			continue
		}
		warnings, err := p.bind(p.batch.Schema(), p.decoder.Schema().Shape)
		if err != nil {
			return bindFault(p.name, p.decoder.Schema(), err)
		}
		m.warn(warnings)
		var stopped *RowFault
		p.output, err = p.run(p.batch, p.messages, func(err *expression.RowError, at *planner.Expression) bool {
			stopped = valueFault(p.name, &p.messages[err.Row], err, at)
			return e.bad.take(stopped)
		})
		if _, ok := errors.AsType[*expression.RowError](err); ok {
			return stopped
		}
		if err != nil {
			return fmt.Errorf("resource %s: %w", p.name, err)
		}
	}
	return m.tooMany(e)
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
