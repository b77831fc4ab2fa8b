package memory

import (
	"context"
	"slices"

	"github.com/flowlang/flow/connectors"
)

// delivery is a run of one stream's messages.
type delivery struct {
	source   *source
	track    *track
	life     connectors.Incarnation
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
	return []connectors.Range{{Stream: d.life.Stream, First: d.messages[0].Sequence, Last: d.last().Sequence, Records: len(d.messages)}}
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
	if !s.owns(d.life.Stream) || len(d.track.loaned) == 0 || d.track.loaned[0] != d {
		return connectors.Errorf(connectors.Transient, "the source has gone back since sequence %d was read: %w", d.messages[0].Sequence, connectors.ErrInterrupted)
	}
	d.track.loaned = d.track.loaned[1:]
	d.track.floor = d.last().Sequence
	s.readers[readerKey{s.flow, d.life.Stream}].acked = d.track.floor
	return nil
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
	if s.broken == "" && slices.Contains(d.track.loaned, d) {
		s.broken = "what was read has been handed back"
		s.signal()
	}
}
