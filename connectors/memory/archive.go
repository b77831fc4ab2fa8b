package memory

import (
	"context"
	"slices"

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
	h := connectors.Holding{Incarnation: in.life, Last: in.last()}
	if i := slices.IndexFunc(in.messages, func(m stored) bool { return !m.gone }); i >= 0 {
		h.First = uint64(i + 1)
	}
	return h, nil
}

// Scan implements connectors.Archive.
func (c *connection) Scan(ctx context.Context, stream string, first, last uint64, each func(*connectors.Stored) error) error {
	return c.scan(ctx, stream, func(sequence uint64, m *stored) error {
		if sequence < first || sequence > last {
			return nil
		}
		found := m.stored(sequence)
		return each(&found)
	})
}

// scan goes through what a stream holds now, without the mutex held.
func (c *connection) scan(ctx context.Context, stream string, each func(uint64, *stored) error) error {
	c.mu.Lock()
	if c.down {
		c.mu.Unlock()
		return errDown()
	}
	var messages []stored
	if in := c.streams[stream]; in != nil {
		messages = slices.Clone(in.messages)
	}
	c.mu.Unlock()
	for i := range messages {
		if err := ctx.Err(); err != nil {
			return err
		}
		if messages[i].gone {
			continue
		}
		if err := each(uint64(i+1), &messages[i]); err != nil {
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
	resource := resourceOf(specs, life.Stream)
	var messages []connectors.Message
	for i := max(of.First, 1); i <= min(of.Last, in.last()); i++ {
		if in.messages[i-1].gone {
			continue
		}
		messages = append(messages, in.message(i, &life, resource))
	}
	return messages, nil
}

// resourceOf is the spec that reads a stream.
func resourceOf(specs []connectors.SourceSpec, stream string) int {
	return max(0, slices.IndexFunc(specs, func(s connectors.SourceSpec) bool { return s.Select == stream }))
}
