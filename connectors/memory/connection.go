package memory

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
)

// connection is a flow's view of a broker.
type connection struct {
	*Broker
	name   string
	report func(connectors.Notice)
}

// String implements connectors.Connection.
func (c *connection) String() string { return "the process's memory" }

// Remains implements connectors.Connection.
func (c *connection) Remains(_ context.Context, flow connectors.Identity, marked ...connectors.MarkedPlace) (connectors.Remains, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var left connectors.Remains
	if c.down {
		return left, errDown()
	}
	for key, p := range c.readers {
		if key.flow != flow {
			continue
		}
		r := connectors.Reader{Stream: key.stream, Name: flow.String(), InUse: p.owner != nil}
		if s := c.streams[key.stream]; s != nil && s.life == p.life {
			r.Unread = s.last() - p.acked
		}
		left.Readers = append(left.Readers, r)
	}
	slices.SortFunc(left.Readers, func(a, b connectors.Reader) int { return strings.Compare(a.Stream, b.Stream) })
	for _, name := range c.names() {
		for _, at := range append([]connectors.MarkedPlace{placeOf(flow, name)}, marked...) {
			if at.Stream == name && c.streams[name].markers[at.Subject].flow == flow.String() && !slices.Contains(left.Markers, at) {
				left.Markers = append(left.Markers, at)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.ledgers[flow])) {
		left.Chains = append(left.Chains, connectors.Chain{Name: name, Entries: uint64(len(c.ledgers[flow][name]))})
	}
	return left, nil
}

// Remove implements connectors.Connection.
func (c *connection) Remove(_ context.Context, flow connectors.Identity, what connectors.Remains) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return errDown()
	}
	for _, chain := range what.Chains {
		delete(c.ledgers[flow], chain.Name)
	}
	for _, m := range what.Markers {
		if in := c.streams[m.Stream]; in != nil {
			delete(in.markers, m.Subject)
		}
	}
	for _, r := range what.Readers {
		delete(c.readers, readerKey{flow, r.Stream})
	}
	c.signal()
	return nil
}

// Await implements connectors.Connection.
func (c *connection) Await(ctx context.Context) error {
	for {
		c.mu.Lock()
		down, changed := c.down, c.changed
		c.mu.Unlock()
		if !down {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close implements connectors.Connection.
func (c *connection) Close() {}
