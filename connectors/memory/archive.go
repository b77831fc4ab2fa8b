package memory

import (
	"context"

	"github.com/flowlang/flow/connectors"
)

// Holding implements connectors.Archive.
func (c *connection) Holding(_ context.Context, stream string) (connectors.Holding, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return connectors.Holding{}, errDown()
	}
	in := c.streams[stream]
	if in == nil {
		return connectors.Holding{}, nil
	}
	return connectors.Holding{Incarnation: in.life, First: min(1, in.last()), Last: in.last()}, nil
}

// Scan implements connectors.Archive.
func (c *connection) Scan(ctx context.Context, stream string, first, last uint64, each func(*connectors.Stored) error) error {
	c.mu.Lock()
	if c.down {
		c.mu.Unlock()
		return errDown()
	}
	var messages []stored
	if in := c.streams[stream]; in != nil {
		messages = in.messages
	}
	c.mu.Unlock()
	for i := max(first, 1); i <= min(last, uint64(len(messages))); i++ {
		m := messages[i-1].stored(i)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := each(&m); err != nil {
			return err
		}
	}
	return nil
}

// Reread implements connectors.Archive.
func (c *connection) Reread(_ context.Context, specs []connectors.SourceSpec, life connectors.Incarnation, of connectors.Range) ([]connectors.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errDown()
	}
	in := c.streams[life.Stream]
	if in == nil || in.life != life {
		return nil, nil
	}
	resource := 0
	for i, spec := range specs {
		if spec.Select == life.Stream {
			resource = i
		}
	}
	var messages []connectors.Message
	for i := max(of.First, 1); i <= min(of.Last, in.last()); i++ {
		messages = append(messages, in.message(i, &life, resource))
	}
	return messages, nil
}
