package nats

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// Remains implements connectors.Connection. It asks for the list of streams, for
// the consumers of each that has any, and for the ledger's subjects.
func (c *connection) Remains(ctx context.Context, flow connectors.Identity, marked ...connectors.MarkedPlace) (remains connectors.Remains, err error) {
	streams, err := c.streamsOn(ctx, "")
	if err != nil {
		return remains, failed(err, "listing the streams on %s", c)
	}
	slices.SortFunc(streams, func(a, b *jetstream.StreamInfo) int { return strings.Compare(a.Config.Name, b.Config.Name) })
	for _, stream := range streams {
		if stream.State.Consumers == 0 {
			continue
		}
		readers, err := c.readersOf(ctx, flow, stream)
		if err != nil {
			return remains, failed(err, "listing the consumers of stream %s", stream.Config.Name)
		}
		remains.Readers = append(remains.Readers, readers...)
	}
	if remains.Markers, err = c.markersOf(ctx, flow, streams, marked); err != nil {
		return remains, err
	}
	remains.Chains, err = c.chains(ctx, c.ledgerOf(flow).prefix)
	return remains, err
}

// markersOf are the flow's markers in the streams: where its name tells, and at the
// places that are marked.
func (c *connection) markersOf(ctx context.Context, flow connectors.Identity, streams []*jetstream.StreamInfo, marked []connectors.MarkedPlace) (markers []connectors.MarkedPlace, err error) {
	for _, stream := range streams {
		name := stream.Config.Name
		places := append([]connectors.MarkedPlace{{Stream: name, Subject: markerSubject(flow, name)}}, marked...)
		for _, p := range places {
			if _, holds := coversAny(stream.Config.Subjects, p.Subject); !holds || p.Stream != name || slices.Contains(markers, p) {
				continue
			}
			reply, err := c.get(ctx, name, getRequest{Last: p.Subject})
			switch {
			case err == nil:
				if bytes.Contains(reply.Message.Headers, []byte(headerFlowMarker+": "+flow.String()+"\r\n")) {
					markers = append(markers, p)
				}
			case !hasCode(err, codeMessageNotFound, codeStreamNotFound):
				return nil, failed(err, "looking for a marker on %q of stream %s", p.Subject, name)
			}
		}
	}
	return markers, nil
}

// readersOf are the consumers of a stream that the flow made, by their metadata.
func (c *connection) readersOf(ctx context.Context, flow connectors.Identity, stream *jetstream.StreamInfo) (readers []connectors.Reader, err error) {
	err = c.call(ctx, func(ctx context.Context) error {
		readers = nil
		s, err := c.js.Stream(ctx, stream.Config.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil // deleted just now
		}
		if err != nil {
			return err
		}
		list := s.ListConsumers(ctx)
		for info := range list.Info() {
			if info.Config.Metadata[metaFlow] == flow.String() {
				readers = append(readers, readerOf(stream.Config.Retention, info))
			}
		}
		if err := list.Err(); !errors.Is(err, jetstream.ErrEndOfData) {
			return err
		}
		return nil
	})
	return readers, err
}

func readerOf(retention jetstream.RetentionPolicy, info *jetstream.ConsumerInfo) connectors.Reader {
	r := connectors.Reader{Stream: info.Stream, Name: info.Name, Unread: unsettled(info), InUse: info.NumWaiting > 0}
	if retention == jetstream.InterestPolicy && r.Unread > 0 {
		r.Kept = "the stream keeps messages only while a consumer waits for them, so these could be lost with it"
	}
	return r
}

// chains are those of the ledger below a prefix; none where there is no ledger.
func (c *connection) chains(ctx context.Context, prefix string) ([]connectors.Chain, error) {
	if found, err := c.findLedger(ctx); err != nil || !found {
		return nil, err
	}
	var counts map[string]uint64
	err := c.call(ctx, func(ctx context.Context) error {
		stream, err := c.js.Stream(ctx, ledgerStream)
		if err != nil {
			return err
		}
		info, err := stream.Info(ctx, jetstream.WithSubjectFilter(prefix+">"))
		if err == nil {
			counts = info.State.Subjects
		}
		return err
	})
	if err != nil {
		return nil, failed(err, "listing what %s> holds in stream %s", prefix, ledgerStream)
	}
	var chains []connectors.Chain
	for _, subject := range slices.Sorted(maps.Keys(counts)) {
		chains = append(chains, connectors.Chain{Name: strings.TrimPrefix(subject, prefix), Entries: counts[subject]})
	}
	return chains, nil
}

// Remove implements connectors.Connection.
func (c *connection) Remove(ctx context.Context, flow connectors.Identity, what connectors.Remains) error {
	if len(what.Chains) > 0 {
		if err := c.purge(ctx, ledgerStream, c.ledgerOf(flow).prefix+">"); err != nil {
			return err
		}
	}
	for _, m := range what.Markers {
		if err := c.purge(ctx, m.Stream, m.Subject); err != nil {
			return err
		}
	}
	for _, r := range what.Readers {
		if r.Kept != "" {
			continue
		}
		if err := c.deleteConsumer(ctx, r.Stream, r.Name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return failed(err, "removing the consumer %s of stream %s", r.Name, r.Stream)
		}
	}
	return nil
}

// purge removes what a stream holds on a subject, and leaves all else.
func (c *connection) purge(ctx context.Context, name, subject string) error {
	err := c.call(ctx, func(ctx context.Context) error {
		stream, err := c.js.Stream(ctx, name)
		if err != nil {
			return err
		}
		return stream.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return failed(err, "removing %s from stream %s", subject, name)
	}
	return nil
}
