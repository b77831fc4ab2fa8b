package nats

import (
	"context"
	"slices"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Holding implements connectors.Archive.
func (c *connection) Holding(ctx context.Context, stream string) (connectors.Holding, error) {
	info, err := c.streamInfo(ctx, stream)
	if info == nil || err != nil {
		return connectors.Holding{}, err
	}
	config, state := info.Config, info.State
	h := connectors.Holding{Incarnation: connectors.Incarnation{Stream: stream, Created: info.Created.UnixNano()}, Last: state.LastSeq}
	if state.Msgs > 0 {
		h.First = state.FirstSeq
	}
	h.Sparse = config.Retention != jetstream.LimitsPolicy || config.MaxMsgsPerSubject > 0
	h.Limited = h.Sparse || config.MaxAge > 0 || config.Discard == jetstream.DiscardOld && (config.MaxMsgs > 0 || config.MaxBytes > 0)
	return h, nil
}

// Scan implements connectors.Archive.
func (c *connection) Scan(ctx context.Context, stream string, first, last uint64, each func(*connectors.Stored) error) error {
	return c.scan(ctx, stream, nil, first, last, func(m *storedMessage) error {
		return each(&connectors.Stored{Sequence: m.sequence, Subject: m.Subject, Time: m.time, Headers: m.Header, Data: m.Data,
			ID: m.Header.Get(natsgo.MsgIdHdr), Event: eventOf(m.Msg)})
	})
}

// Reread implements connectors.Archive.
func (c *connection) Reread(ctx context.Context, specs []connectors.SourceSpec, life connectors.Incarnation, of connectors.Range) ([]connectors.Message, error) {
	info, err := c.streamInfo(ctx, life.Stream)
	if err != nil || info == nil || info.Created.UnixNano() != life.Created {
		return nil, err
	}
	s, f := &source{specs: specs}, servedBy(specs, info.Config)
	var messages []connectors.Message
	err = c.scan(ctx, life.Stream, slices.Sorted(slices.Values(f.filters)), of.First, of.Last, func(m *storedMessage) error {
		messages = append(messages, s.message(m.Msg, f, &life, m.sequence, m.time))
		return nil
	})
	return messages, err
}

// servedBy is what the specs read of a stream, as discover finds it. Without a filter
// it is all of it.
func servedBy(specs []connectors.SourceSpec, config jetstream.StreamConfig) *found {
	f := &found{}
	for i, spec := range specs {
		reads := slices.Contains(named(spec), config.Name)
		if len(named(spec)) == 0 && !explicit(spec) {
			_, reads = overlapAny(config.Subjects, spec.Select)
		}
		if reads {
			f.specs, f.filters = append(f.specs, i), append(f.filters, spec.Select)
		}
	}
	return f
}

// MessageID implements connectors.Archive.
func (c *connection) MessageID(flow connectors.Identity, connection string, from *connectors.Message, stream, subject, resource string) string {
	return string(newMessageIDs(flow, connection).append(nil, from, stream, subject, resource))
}
