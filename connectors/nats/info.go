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

// consumerInfo is nil where the stream has no such consumer.
func (c *connection) consumerInfo(ctx context.Context, stream, name string) (info *jetstream.ConsumerInfo, err error) {
	err = c.ask(ctx, func(ctx context.Context) error {
		consumer, err := c.js.Consumer(ctx, stream, name)
		if err == nil {
			info = consumer.CachedInfo()
		}
		return err
	})
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(err, "looking up the consumer %s of stream %s", name, stream)
	}
	return info, nil
}

// deleteConsumer takes a consumer away. That it is gone is no error.
func (c *connection) deleteConsumer(ctx context.Context, stream, name string) error {
	err := c.call(ctx, func(ctx context.Context) error { return c.js.DeleteConsumer(ctx, stream, name) })
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	return err
}
