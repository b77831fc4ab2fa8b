package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/flowlang/flow/connectors"
)

// atomicRows is how many messages one step takes besides the marker: as many as a NATS
// server does, so that the epochs of a flow are cut here as there.
const atomicRows = 999

// transaction stores the rows of several sinks, those of a stream and epoch together
// with a marker in one step.
type transaction struct {
	*connection
	flow   connectors.Identity
	parts  []*part
	places []*markedPlace
	link   int   // of the broker, when it was opened
	failed error // why the session is over; nil if it is not
}

// markedPlace is a stream, and the marker that the transaction counts on.
type markedPlace struct {
	connectors.MarkedPlace
	marker  connectors.Marker
	letters []frame // dead letters of this epoch
}

// marker is one as a stream keeps it, with the flow that wrote it.
type marker struct {
	flow string
	connectors.Marker
}

// part is one sink of a transaction: it prepares rows, which the transaction stores.
type part struct {
	*sink
	of *transaction
}

var _ connectors.Transactor = (*connection)(nil) // which nothing but exec would miss

// OpenTransaction implements connectors.Transactor.
func (c *connection) OpenTransaction(_ context.Context, flow connectors.Identity, specs []connectors.SinkSpec) (connectors.Transaction, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errDown()
	}
	t := &transaction{connection: c, flow: flow, link: c.Broker.link}
	for _, spec := range specs {
		t.parts = append(t.parts, &part{sink: &sink{connection: c, flow: flow, spec: spec, link: c.Broker.link}, of: t})
		for i := range spec.Resources {
			if at := placeOf(flow, streamOf(spec, i).Text); t.placeOf(at.Stream) == nil {
				t.places = append(t.places, &markedPlace{MarkedPlace: at})
			}
		}
	}
	return t, nil
}

// placeOf is where a flow's marker in a stream is. A marker is kept beside the
// messages, as those who read a stream here read all of it.
func placeOf(flow connectors.Identity, stream string) connectors.MarkedPlace {
	return connectors.MarkedPlace{Stream: stream, Subject: flow.String()}
}

func (t *transaction) placeOf(stream string) *markedPlace {
	if i := slices.IndexFunc(t.places, func(p *markedPlace) bool { return p.Stream == stream }); i >= 0 {
		return t.places[i]
	}
	return nil
}

// Sinks implements connectors.Transaction.
func (t *transaction) Sinks() []connectors.Sink {
	sinks := make([]connectors.Sink, len(t.parts))
	for i, p := range t.parts {
		sinks[i] = p
	}
	return sinks
}

// Places implements connectors.Transaction.
func (t *transaction) Places() []connectors.MarkedPlace {
	places := make([]connectors.MarkedPlace, len(t.places))
	for i, p := range t.places {
		places[i] = p.MarkedPlace
	}
	return places
}

// Marker implements connectors.Transaction.
func (t *transaction) Marker(_ context.Context, place int) (connectors.Marker, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.usable(); err != nil {
		return connectors.Marker{}, err
	}
	p := t.places[place]
	p.marker = t.newest(p.MarkedPlace)
	return p.marker, nil
}

// ReadMarker implements connectors.Transactor.
func (c *connection) ReadMarker(_ context.Context, at connectors.MarkedPlace) (connectors.Marker, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return connectors.Marker{}, errDown()
	}
	return c.newest(at), nil
}

// Supersede implements connectors.Transactor.
func (c *connection) Supersede(ctx context.Context, flow string, former connectors.Marker, content []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if c.down {
		return errDown()
	}
	in := c.streams[former.Stream]
	if in == nil {
		return nil // nor can anybody else commit there
	}
	if now := c.newest(former.MarkedPlace); now.Sequence != former.Sequence {
		return connectors.Errorf(connectors.Transient, "stream %s has another marker than the one of sequence %d: %w", former.Stream, former.Sequence, connectors.ErrInterrupted)
	}
	in.mark(flow, former.Subject, content, nil)
	c.signal()
	return nil
}

// newest needs the mutex. Its Created is that of the stream, even if it has no marker.
func (b *Broker) newest(at connectors.MarkedPlace) connectors.Marker {
	in := b.streams[at.Stream]
	if in == nil {
		return connectors.Marker{MarkedPlace: at}
	}
	m := in.markers[at.Subject].Marker
	m.MarkedPlace, m.Created = at, in.life.Created
	m.Content, m.Receipts = slices.Clone(m.Content), slices.Clone(m.Receipts)
	return m
}

// Mark implements connectors.Transaction.
func (t *transaction) Mark(ctx context.Context, place int, content []byte) (connectors.Marker, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.places[place]
	if err := t.current(ctx, p); err != nil {
		return connectors.Marker{}, err
	}
	t.mark(p, t.stream(p.Stream), content, nil)
	return p.marker, nil
}

// Keep implements connectors.Transaction.
func (t *transaction) Keep(dead connectors.DeadLetters, letters []connectors.DeadLetter) ([]connectors.DeadLetter, error) {
	d, ok := dead.(*deadLetters)
	if !ok || d.Broker != t.Broker {
		return letters, nil
	}
	p := t.placeOf(d.to)
	if p == nil {
		return letters, nil
	}
	for _, l := range letters {
		f := frame{stream: d.to, from: l.Message, stored: d.letter(l)}
		f.stored.id = "" // the marker knows it
		p.letters = append(p.letters, f)
	}
	return nil, nil
}

// Commit implements connectors.Transaction.
func (t *transaction) Commit(ctx context.Context, seal connectors.Seal) ([]connectors.Receipt, connectors.Marker, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.places[seal.Place]
	if err := t.current(ctx, p); err != nil {
		return nil, connectors.Marker{}, err
	}
	in := t.streams[p.Stream]
	if in == nil {
		t.failed = gone(p.Stream)
		return nil, connectors.Marker{}, t.failed
	}
	fresh, receipts := t.rowsOf(p, in, seal.Held)
	for _, l := range p.letters {
		if !holds(seal.Held, l.from) {
			fresh = append(fresh, l)
		}
	}
	p.letters = nil
	if len(fresh) > atomicRows {
		t.failed = connectors.Errorf(connectors.Environment, "one step takes %d messages, and the epoch has %d for stream %s", atomicRows, len(fresh), p.Stream).
			WithHelp("let epochs be smaller, as in `epoch %d`", atomicRows/2).About(connectors.SinkRole, 0, "stream")
		return nil, connectors.Marker{}, t.failed
	}
	if len(fresh) == 0 && !seal.Always {
		return receipts, p.marker, nil
	}
	for _, f := range fresh {
		f.stored.time = t.tick()
		in.append(f.stored)
	}
	t.mark(p, in, seal.Content, receipts)
	return receipts, p.marker, nil
}

// rowsOf are the prepared rows of a place that it does not hold yet, in their order,
// and the receipts for all of them.
func (t *transaction) rowsOf(p *markedPlace, in *stream, held []connectors.Position) (fresh []frame, receipts []connectors.Receipt) {
	for _, part := range t.parts {
		part.receipts = nil
		for _, f := range part.frames {
			if f.stream != p.Stream {
				continue
			}
			duplicate := holds(held, f.from)
			if !duplicate {
				fresh = append(fresh, f)
			}
			count(part.receipt(f, in), in.last()+uint64(len(fresh)), duplicate, f.stored.Data)
		}
		for _, r := range part.receipts {
			receipts = append(receipts, *r)
		}
	}
	return fresh, receipts
}

// holds says whether a message is at or below the position that its stream is held to.
func holds(held []connectors.Position, m *connectors.Message) bool {
	return slices.ContainsFunc(held, func(p connectors.Position) bool {
		return p.Incarnation == *m.Source && m.Sequence <= p.Sequence
	})
}

func (t *transaction) mark(p *markedPlace, in *stream, content []byte, receipts []connectors.Receipt) {
	in.mark(t.flow.String(), p.Subject, content, receipts)
	p.marker = t.newest(p.MarkedPlace)
	t.signal()
}

// mark replaces the marker on a subject.
func (s *stream) mark(flow string, subject string, content []byte, receipts []connectors.Receipt) {
	s.marks++
	s.markers[subject] = marker{flow, connectors.Marker{Sequence: s.marks, Batch: s.life.Stream + " " + strconv.FormatUint(s.marks, 10),
		Content: slices.Clone(content), Receipts: slices.Clone(receipts)}}
}

// current says why nothing can be stored at a place now, and ends the session then.
func (t *transaction) current(ctx context.Context, p *markedPlace) error {
	if err := t.usable(); err != nil {
		return err
	}
	if t.failed = ctx.Err(); t.failed != nil {
		return t.failed
	}
	if now := t.newest(p.MarkedPlace); now.Sequence != p.marker.Sequence || now.Sequence > 0 && now.Created != p.marker.Created {
		t.failed = fmt.Errorf("stream %s has another marker than the one of sequence %d, so nothing of the epoch was stored there: %w", p.Stream, p.marker.Sequence, connectors.ErrInterrupted)
	}
	return t.failed
}

// usable says why the session is over; it needs the mutex.
func (t *transaction) usable() error {
	if t.failed == nil {
		t.failed = t.lost(t.link)
	}
	return t.failed
}

// Close implements connectors.Transaction.
func (t *transaction) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failed = errors.New("the transaction is closed")
	return nil
}

// Begin implements connectors.Sink.
func (p *part) Begin(ctx context.Context, _ uint64) error {
	p.forget()
	return p.Apply(ctx)
}

func (p *part) forget() {
	p.frames = p.frames[:0]
	for _, at := range p.of.places {
		at.letters = nil
	}
}

// Apply implements connectors.Sink: the transaction's Commit stores the rows.
func (p *part) Apply(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.of.usable()
}

// Commit implements connectors.Sink: the transaction's Commit has the receipts.
func (p *part) Commit(context.Context, uint64) ([]connectors.Receipt, error) { return nil, nil }

// Abort implements connectors.Sink.
func (p *part) Abort(context.Context) error {
	p.forget()
	return nil
}

// Close implements connectors.Sink: the transaction's Close ends it.
func (p *part) Close() error { return nil }
