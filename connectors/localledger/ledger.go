package localledger

import (
	"context"
	"net/url"
	"os"
	"strings"

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

// Siblings implements connectors.Ledger. A name that is too long for a file's is
// left out.
func (l *ledger) Siblings(ctx context.Context) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	files, err := os.ReadDir(l.directory.path)
	if err != nil {
		return nil, failed(err, "listing the flows of the ledger")
	}
	var names []string
	for _, f := range files {
		parts := strings.Split(strings.TrimSuffix(f.Name(), extension), "+")
		if len(parts) == 3 && parts[0] == escape(l.flow.Namespace) && parts[2] == "spec" {
			name, err := url.PathUnescape(parts[1])
			if err == nil {
				names = append(names, name)
			}
		}
	}
	return names, nil
}

func (l *ledger) chain(ctx context.Context, name string) (*chain, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.directory.chain(l.flow, name)
}
