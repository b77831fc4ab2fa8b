package memory

import (
	"context"

	"github.com/flowlang/flow/connectors"
)

// delivery is a run of one stream's messages.
type delivery struct {
	source   *source
	track    *track
	link     int
	life     connectors.Incarnation
	first    uint64
	messages []connectors.Message
}

// Messages implements connectors.Delivery.
func (d *delivery) Messages() []connectors.Message { return d.messages }

func (d *delivery) last() connectors.Message { return d.messages[len(d.messages)-1] }

// Covers implements connectors.Delivery.
func (d *delivery) Covers() []connectors.Range {
	if len(d.messages) == 0 {
		return nil
	}
	return []connectors.Range{{Stream: d.life.Stream, First: d.first, Last: d.last().Sequence, Records: len(d.messages)}}
}

// Position implements connectors.Delivery.
func (d *delivery) Position() []connectors.Position {
	if len(d.messages) == 0 {
		return nil
	}
	return []connectors.Position{{Incarnation: d.life, Sequence: d.last().Sequence, Time: d.last().Time}}
}

// Ack implements connectors.Delivery.
func (d *delivery) Ack(ctx context.Context) error {
	if len(d.messages) == 0 {
		return nil
	}
	s := d.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.usable(); err != nil {
		return err
	}
	if !d.current() {
		return connectors.Errorf(connectors.Transient, "the source has gone back since sequence %d was read: %w", d.first, connectors.ErrInterrupted)
	}
	d.track.floor = d.last().Sequence
	s.readers[readerKey{s.flow, d.life.Stream}].acked = d.track.floor
	return nil
}

// current says whether the delivery is still in hand, the oldest one that is.
func (d *delivery) current() bool {
	return d.source.owns(d.life.Stream) && d.track.life == d.life && d.track.floor+1 == d.first && d.track.read >= d.last().Sequence
}

func (s *source) owns(stream string) bool {
	p := s.readers[readerKey{s.flow, stream}]
	return p != nil && p.owner == s
}

// Release implements connectors.Delivery. What was read behind it goes back with it.
func (d *delivery) Release(context.Context) {
	s := d.source
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == "" && len(d.messages) > 0 && d.track.floor < d.first && d.track.read >= d.first {
		s.broken = "what was read has been handed back"
		s.signal()
	}
}
