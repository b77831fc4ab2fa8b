package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/flowlang/flow/connectors"
)

// takeOver is a chain whose next record ends the attempt of whoever runs the flow. It
// keeps the flow's state and fingerprint.
func takeOver(ctx context.Context, ledger connectors.Ledger) (*chain, error) {
	c := &chain{ledger: ledger, owner: thisProcess()}
	last, version, err := c.newestRecord(ctx)
	if err != nil {
		return nil, err
	}
	c.flow, c.fingerprint, c.attempt, c.version, c.state = last.Flow, last.Fingerprint, last.Attempt+1, version, last.State
	return c, nil
}

// entry is the newest record of this owner, as the ledger holds it.
func (c *chain) entry(ctx context.Context) (Entry, error) {
	r, err := c.recordAt(ctx, c.version)
	if err != nil {
		return Entry{}, err
	}
	return Entry{Version: c.version, Record: *r}, nil
}

// changedMeanwhile says why a record of a person's command was refused.
func changedMeanwhile(err error) error {
	if errors.Is(err, connectors.ErrSuperseded) {
		return fmt.Errorf("the flow runs: %w", err)
	}
	return err
}
