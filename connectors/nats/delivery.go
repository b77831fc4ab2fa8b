package nats

import (
	"context"
	"fmt"

	"github.com/flowlang/flow/connectors"
)

var acknowledgement = []byte("+ACK")

// delivery is a run of one reader's queue. Deliveries are loaned and
// acknowledged in order, so the oldest one is always the queue's beginning.
type delivery struct {
	reader   *reader
	held     []held
	messages []connectors.Message
}

// loan takes from the queue until a bound is met. The source's mutex is held.
func (r *reader) loan(records int, maxBytes int64) *delivery {
	n, size := 0, int64(0)
	for n < min(records, r.ready()) && (maxBytes <= 0 || size < maxBytes) {
		size += r.queue[r.loaned+n].size
		n++
	}
	d := &delivery{reader: r, held: r.queue[r.loaned : r.loaned+n : r.loaned+n]}
	d.messages = make([]connectors.Message, n)
	for i := range d.held {
		d.messages[i] = d.held[i].message
	}
	r.loaned += n
	r.bytes -= size
	return d
}

// Messages implements connectors.Delivery.
func (d *delivery) Messages() []connectors.Message { return d.messages }

// Covers implements connectors.Delivery.
func (d *delivery) Covers() []connectors.Range {
	if len(d.messages) == 0 {
		return nil
	}
	first, last := d.messages[0], d.messages[len(d.messages)-1]
	return []connectors.Range{{Stream: first.Source.Stream, First: first.Sequence, Last: last.Sequence, Records: len(d.messages)}}
}

// Position implements connectors.Delivery.
func (d *delivery) Position() []connectors.Position {
	if len(d.messages) == 0 {
		return nil
	}
	last := d.messages[len(d.messages)-1]
	return []connectors.Position{{Incarnation: *last.Source, Sequence: last.Sequence, Time: last.Time}}
}

// Ack implements connectors.Delivery. The server handles one connection's
// acknowledgements in order, so the confirmation of the last one is that of all.
func (d *delivery) Ack(ctx context.Context) error {
	if len(d.held) == 0 {
		return nil
	}
	r := d.reader
	if !r.settle(d) {
		return fmt.Errorf("acknowledging sequence %d of stream %s: the source has gone back since: %w", d.messages[0].Sequence, r.stream.Stream, connectors.ErrInterrupted)
	}
	err := r.source.conn.ask(ctx, func(ctx context.Context) error {
		// Through the messages themselves a second try would not be sent.
		nc, last := r.source.conn.nc, len(d.held)-1
		for i := range d.held[:last] {
			if err := nc.Publish(d.held[i].reply.Reply, acknowledgement); err != nil {
				return err
			}
		}
		_, err := nc.RequestWithContext(ctx, d.held[last].reply.Reply, acknowledgement)
		return err
	})
	if err != nil {
		return failed(err, "acknowledging sequences %d to %d of stream %s through consumer %s",
			d.messages[0].Sequence, d.messages[len(d.messages)-1].Sequence, r.stream.Stream, r.consumer)
	}
	clear(d.held) // the queue's memory is behind it, and would keep the messages
	return nil
}

// settle moves the floor: what is acknowledged now is certified, and comes back
// only as a redelivery. It is false if everything was taken back since.
func (r *reader) settle(d *delivery) bool {
	s := r.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.sub == nil {
		return false
	}
	r.floor = d.Position()[0]
	r.queue = r.queue[len(d.held):]
	r.loaned -= len(d.held)
	for i := range d.held {
		r.kept -= d.held[i].size
	}
	s.signal() // there is room for more
	return true
}

// Release implements connectors.Delivery. What came in behind the delivery goes
// back with it, or the server would deliver it before what was handed back.
func (d *delivery) Release(context.Context) {
	s := d.reader.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.reader.sub != nil {
		d.reader.handBack()
	}
}
