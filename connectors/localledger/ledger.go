package localledger

import (
	"context"

	"github.com/flowlang/flow/connectors"
)

// ledger is one flow's part of a directory.
type ledger struct {
	directory *Directory
	flow      connectors.Identity
}

// String implements connectors.Ledger.
func (l *ledger) String() string {
	return "directory " + l.directory.path
}

// Last implements connectors.Ledger.
func (l *ledger) Last(ctx context.Context, chain string) (connectors.Entry, error) {
	c, err := l.chain(ctx, chain)
	if err != nil {
		return connectors.Entry{}, err
	}
	return c.newest()
}

// At implements connectors.Ledger.
func (l *ledger) At(ctx context.Context, chain string, version uint64) (connectors.Entry, error) {
	c, err := l.chain(ctx, chain)
	if err != nil {
		return connectors.Entry{}, err
	}
	return c.at(version)
}

// Next implements connectors.Ledger.
func (l *ledger) Next(ctx context.Context, chain string, after uint64) (connectors.Entry, error) {
	c, err := l.chain(ctx, chain)
	if err != nil {
		return connectors.Entry{}, err
	}
	return c.next(after)
}

// Append implements connectors.Ledger. A write that has begun is finished, whatever
// becomes of the context.
func (l *ledger) Append(ctx context.Context, chain string, previous uint64, data []byte) (uint64, error) {
	c, err := l.chain(ctx, chain)
	if err != nil {
		return 0, err
	}
	return c.append(previous, data)
}

func (l *ledger) chain(ctx context.Context, name string) (*chain, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.directory.chain(l.flow, name)
}
