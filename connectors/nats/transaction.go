package nats

import (
	"context"
	"errors"
	"slices"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// transaction writes the rows of several sinks, all on one connection, as one atomic
// batch a stream and epoch. It has a link of its own, as a plain sink has.
type transaction struct {
	session
	flow    connectors.Identity
	parts   []*part
	streams map[string]*destination // of all parts
	places  []*markedPlace
	header  natsgo.Header // of the message that is being sent
}

// markedPlace is a stream that gets batches, and what is known of its marker.
type markedPlace struct {
	connectors.MarkedPlace
	sink    int // the first one that writes there
	to      *destination
	marker  connectors.Marker
	letters []letter // dead letters of this epoch
}

// letter is a dead letter that goes into a batch.
type letter struct {
	message *natsgo.Msg
	of      *connectors.Message
}

// part is one sink of a transaction: it prepares rows, which the transaction sends.
type part struct {
	*sink
	of *transaction
}

// OpenTransaction implements connectors.Transactor.
func (c *connection) OpenTransaction(ctx context.Context, flow connectors.Identity, specs []connectors.SinkSpec) (connectors.Transaction, error) {
	t := &transaction{flow: flow, streams: map[string]*destination{}, header: natsgo.Header{}}
	limits, timeout := connectors.Limits{}, specs[0].Settings.Duration("publish_timeout")
	for _, spec := range specs {
		s := newSink(flow, spec)
		s.streams = t.streams
		t.parts = append(t.parts, &part{sink: s, of: t})
		limits.Messages, limits.Bytes = max(limits.Messages, s.limits.Messages), max(limits.Bytes, s.limits.Bytes)
		timeout = max(timeout, spec.Settings.Duration("publish_timeout"))
	}
	if err := t.connect(ctx, c, limits, timeout); err != nil {
		return nil, err
	}
	if err := t.survey(ctx); err != nil {
		t.link.Close()
		return nil, err
	}
	return t, nil
}

// survey looks at the streams, and makes a place of each.
func (t *transaction) survey(ctx context.Context) error {
	for i, p := range t.parts {
		p.link = t.link
		if err := p.survey(ctx); err != nil {
			return ofPart(err, i)
		}
		for _, r := range p.routers {
			if err := t.addPlace(r, i); err != nil {
				return err
			}
		}
	}
	for i, p := range t.parts {
		for _, r := range p.routers {
			at := t.placeOf(r.stream.Text)
			if subject := pattern(r.subject); overlap(subject, at.Subject) {
				return connectors.Errorf(connectors.Refused, "rows could go to the marker's subject: %q matches %q", subject, at.Subject).
					WithHelp("write rows to another subject, or name another one for the marker with `marker \"...\"`").About(connectors.SinkRole, i, "subject")
			}
		}
	}
	return nil
}

func (t *transaction) addPlace(r *router, sink int) error {
	at := connectors.MarkedPlace{Stream: r.stream.Text, Subject: r.sink.markerOn(r.stream.Text)}
	switch p := t.placeOf(at.Stream); {
	case p == nil:
		t.places = append(t.places, &markedPlace{MarkedPlace: at, sink: sink, to: t.streams[at.Stream]})
	case p.Subject != at.Subject:
		return connectors.Errorf(connectors.Refused, "two sinks write into stream %s with one batch, and name two subjects for its marker: %q and %q", at.Stream, p.Subject, at.Subject).
			WithHelp("give both the same `marker`, or none").About(connectors.SinkRole, sink, "marker").Against(connectors.SinkRole, p.sink, "the other sink")
	}
	return nil
}

func (t *transaction) placeOf(stream string) *markedPlace {
	if i := slices.IndexFunc(t.places, func(p *markedPlace) bool { return p.Stream == stream }); i >= 0 {
		return t.places[i]
	}
	return nil
}

// ofPart tells which of the transaction's sinks an error is about.
func ofPart(err error, i int) error {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Role == connectors.SinkRole {
		e.Spec = i
	}
	return err
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
func (t *transaction) Marker(ctx context.Context, place int) (connectors.Marker, error) {
	p := t.places[place]
	owner := t.parts[p.sink]
	now, err := owner.inspect(ctx, p.Stream)
	if err != nil {
		return connectors.Marker{}, ofPart(err, p.sink)
	}
	if now.created != p.to.created {
		t.moveTo(p, now)
	}
	p.marker, err = t.lastMarker(ctx, p)
	return p.marker, err
}

// moveTo replaces what is known of a stream, which was made since.
func (t *transaction) moveTo(p *markedPlace, to *destination) {
	p.to, t.streams[p.Stream] = to, to
	for _, part := range t.parts {
		for _, r := range part.routers {
			delete(r.routes, p.Stream)
		}
	}
}

// Mark implements connectors.Transaction.
func (t *transaction) Mark(ctx context.Context, place int, content []byte) (connectors.Marker, error) {
	p := t.places[place]
	owner := t.parts[p.sink]
	to, err := owner.ensure(ctx, p.Stream, "")
	if err != nil {
		return connectors.Marker{}, ofPart(err, p.sink)
	}
	if to != p.to {
		t.moveTo(p, to)
	}
	_, marker, err := t.write(ctx, p, nil, nil, content)
	return marker, err
}

// Keep implements connectors.Transaction.
func (t *transaction) Keep(dead connectors.DeadLetters, letters []connectors.DeadLetter) (others []connectors.DeadLetter, err error) {
	d, ok := dead.(*deadLetters)
	if !ok || d.link.name != t.link.name {
		return letters, nil
	}
	for i := range letters {
		m := letters[i].Message
		p := t.placeOf(d.places[m.Resource].name)
		if p == nil {
			others = append(others, letters[i])
			continue
		}
		message, _, err := d.message(&letters[i])
		if err != nil {
			return nil, err
		}
		if message.Subject == p.Subject {
			return nil, connectors.Errorf(connectors.Refused, "a dead letter would go to the marker's subject %q", p.Subject).
				WithHelp("write dead letters to another subject").About(connectors.DeadLetterRole, 0, "subject")
		}
		delete(message.Header, natsgo.MsgIdHdr) // one duplicate would refuse the whole batch
		p.letters = append(p.letters, letter{message: message, of: m})
	}
	return others, nil
}

// Close implements connectors.Transaction. Whatever may still be committed is what the
// marker says.
func (t *transaction) Close() error {
	t.publisher.fail(natsgo.ErrConnectionClosed)
	t.dialer.cut()
	t.link.Close()
	return nil
}

// Begin implements connectors.Sink.
func (p *part) Begin(context.Context, uint64) error {
	p.startEpoch()
	return p.of.publisher.failed()
}

func (p *part) startEpoch() {
	p.sink.startEpoch()
	for _, at := range p.of.places {
		at.letters = nil
	}
}

// Prepare implements connectors.Sink.
func (p *part) Prepare(ctx context.Context, batch connectors.Batch) error {
	router := p.routers[batch.Resource]
	marker := p.of.placeOf(router.stream.Text).Subject
	return p.prepare(ctx, batch, func(row int) (*route, string, error) {
		to, subject, err := router.route(ctx, batch, row)
		if err == nil && subject == marker {
			err = rowFaultf("the subject %q is that of the flow's marker", subject)
		}
		return to, subject, err
	})
}

// Apply implements connectors.Sink: the transaction's Commit sends the rows.
func (p *part) Apply(context.Context) error { return p.of.publisher.failed() }

// Commit implements connectors.Sink: the transaction's Commit has the receipts.
func (p *part) Commit(context.Context, uint64) ([]connectors.Receipt, error) { return nil, nil }

// Abort implements connectors.Sink.
func (p *part) Abort(context.Context) error {
	p.startEpoch()
	return nil
}

// Stats implements connectors.Sink. What is outstanding is all parts' together.
func (p *part) Stats() connectors.SinkStats {
	if p != p.of.parts[0] {
		return connectors.SinkStats{}
	}
	return p.of.publisher.stats()
}

// Close implements connectors.Sink: the transaction's Close ends it.
func (p *part) Close() error { return nil }
