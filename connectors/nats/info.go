package nats

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// streamInfo is nil where there is no such stream.
func (c *connection) streamInfo(ctx context.Context, stream string) (info *jetstream.StreamInfo, err error) {
	err = c.ask(ctx, func(ctx context.Context) error {
		s, err := c.js.Stream(ctx, stream)
		if err == nil {
			info = s.CachedInfo()
		}
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(err, "looking at the stream %s", stream)
	}
	return info, nil
}
