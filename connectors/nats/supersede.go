package nats

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/flowlang/flow/connectors"
)

// Supersede implements connectors.Transactor. Where a stream takes no marker on that
// subject any more it takes no batch that ends with one, and nothing is left to do.
func (c *connection) Supersede(ctx context.Context, flow string, former connectors.Marker, content []byte) error {
	info, err := c.streamInfo(ctx, former.Stream)
	if err != nil || info == nil || !info.Config.AllowRollup {
		return err
	}
	if _, captured := coversAny(info.Config.Subjects, former.Subject); !captured {
		return nil
	}
	body := markerBody{Batch: rand.Text(), Messages: 1, Content: content}
	m, err := c.newMarker(flow, &markedPlace{MarkedPlace: former.MarkedPlace, to: destinationOf(info), marker: former}, body)
	if err != nil {
		return err
	}
	err = c.call(ctx, func(ctx context.Context) error {
		reply, err := c.nc.RequestMsgWithContext(ctx, m)
		if err == nil {
			_, err = parseAck(reply, former.Stream, former.Subject)
		}
		return err
	})
	if err == nil {
		return nil
	}
	// The answer may be lost, and a refusal may be that of a repetition.
	if now, lookErr := c.ReadMarker(ctx, former.MarkedPlace); lookErr == nil && now.Batch == body.Batch {
		return nil
	}
	if hasCode(err, codeWrongLastSequence, codeAppendPending) {
		return connectors.Errorf(connectors.Transient, "stream %s has another marker on %q than the one of sequence %d by now: %w", former.Stream, former.Subject, former.Sequence, errors.Join(err, connectors.ErrInterrupted))
	}
	return failed(err, "writing the marker %q of stream %s", former.Subject, former.Stream)
}
