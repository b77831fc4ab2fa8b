package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/flowlang/flow/connectors"
)

// ledger is a flow's part of the broker's ledgers. The first entry of a chain has
// version 1.
type ledger struct {
	*Broker
	flow connectors.Identity
}

// OpenLedger implements connectors.Connection.
func (c *connection) OpenLedger(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, errDown()
	}
	if c.ledgers[flow] == nil {
		c.ledgers[flow] = map[string][][]byte{}
	}
	return &ledger{Broker: c.Broker, flow: flow}, ctx.Err()
}

// FindLedger implements connectors.Connection.
func (c *connection) FindLedger(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	c.mu.Lock()
	missing := !c.down && c.ledgers[flow] == nil
	c.mu.Unlock()
	if missing {
		return nil, ctx.Err()
	}
	return c.OpenLedger(ctx, flow)
}

// String implements connectors.Ledger.
func (l *ledger) String() string { return "the process's memory" }

// entry is that of a version; none if it is not there.
func (l *ledger) entry(ctx context.Context, chain string, version func(entries int) uint64) (connectors.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return connectors.Entry{}, err
	}
	if l.down {
		return connectors.Entry{}, errDown()
	}
	entries := l.ledgers[l.flow][chain]
	at := version(len(entries))
	if at == 0 || at > uint64(len(entries)) {
		return connectors.Entry{}, nil
	}
	return connectors.Entry{Version: at, Data: bytes.Clone(entries[at-1])}, nil
}

// Last implements connectors.Ledger.
func (l *ledger) Last(ctx context.Context, chain string) (connectors.Entry, error) {
	return l.entry(ctx, chain, func(entries int) uint64 { return uint64(entries) })
}

// Next implements connectors.Ledger.
func (l *ledger) Next(ctx context.Context, chain string, after uint64) (connectors.Entry, error) {
	return l.entry(ctx, chain, func(int) uint64 { return after + 1 })
}

// At implements connectors.Ledger.
func (l *ledger) At(ctx context.Context, chain string, version uint64) (connectors.Entry, error) {
	e, err := l.entry(ctx, chain, func(int) uint64 { return version })
	if err == nil && e.Version == 0 {
		err = connectors.Errorf(connectors.Permanent, "reading entry %d of %s: %w", version, chain, connectors.ErrNoEntry)
	}
	return e, err
}

// Siblings implements connectors.Ledger.
func (l *ledger) Siblings(ctx context.Context) ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return nil, errDown()
	}
	var names []string
	for flow, chains := range l.ledgers {
		if flow.Namespace == l.flow.Namespace && len(chains["spec"]) > 0 {
			names = append(names, flow.Flow)
		}
	}
	slices.Sort(names)
	return names, ctx.Err()
}

// Append implements connectors.Ledger.
func (l *ledger) Append(ctx context.Context, chain string, previous uint64, data []byte) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if l.down {
		return 0, errDown()
	}
	entries := l.ledgers[l.flow][chain]
	newest := uint64(len(entries))
	switch {
	case newest > previous && bytes.Equal(entries[newest-1], data):
		return newest, nil // an append that is tried again
	case newest != previous:
		return 0, fmt.Errorf("writing %s: %w", chain, connectors.ErrSuperseded)
	}
	l.ledgers[l.flow][chain] = append(entries, bytes.Clone(data))
	return newest + 1, nil
}
