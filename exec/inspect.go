package exec

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// Entry is a record of a flow's epoch chain, and its version there.
type Entry struct {
	Version uint64 `json:"version"`
	Record
}

// History goes through a flow's epoch chain from its newest record back to the
// oldest one that the ledger still holds. Each record costs one read of the
// ledger. An error ends it; that there is no record at all is one.
func History(ctx context.Context, ledger connectors.Ledger) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		c := chain{ledger: ledger}
		r, version, err := c.newestRecord(ctx)
		for err == nil {
			if !yield(Entry{Version: version, Record: *r}, nil) {
				return
			}
			if r.Previous == 0 {
				return
			}
			if r.Previous >= version {
				err = connectors.Errorf(connectors.Permanent, "record %d of the ledger (%s) names record %d as the one before it", version, ledger, r.Previous)
				break
			}
			version = r.Previous
			r, err = c.recordAt(ctx, version)
			if errors.Is(err, connectors.ErrNoEntry) {
				return
			}
		}
		yield(Entry{}, err)
	}
}

// Standing is what the ledger holds of a flow for its next run. The zero value is
// that of a flow which has not run.
type Standing struct {
	State       State
	Owner       Owner  // of the newest record
	Fingerprint string // of the plan that it ran with
	// Streams are what it reads: what has come to match since is not read. It is empty
	// where any stream is.
	Streams []string
}

// StandingOf is the standing of a flow, read from its ledger.
func StandingOf(ctx context.Context, ledger connectors.Ledger, flow *planner.Flow) (s Standing, err error) {
	c := chain{ledger: ledger}
	last, _, err := c.readRecord(ctx)
	if err != nil || last == nil {
		return s, err
	}
	s.State, s.Owner, s.Fingerprint = last.State, last.Owner, last.Fingerprint
	specification, _, err := readSpecification(ctx, ledger)
	if err == nil && specification != nil && slices.Equal(specification.Reads, flow.Reads()) {
		s.Streams = specification.Streams
	}
	return s, err
}

// LastState is the state of a flow's newest record; the zero one if it has none.
func LastState(ctx context.Context, ledger connectors.Ledger) (State, error) {
	c := chain{ledger: ledger}
	last, _, err := c.readRecord(ctx)
	if err != nil || last == nil {
		return State{}, err
	}
	return last.State, nil
}

// Certificate is that of an epoch. It reads the ledger once for each record that
// was written since.
func Certificate(ctx context.Context, ledger connectors.Ledger, epoch uint64) (Entry, error) {
	var newest, oldest uint64
	for e, err := range History(ctx, ledger) {
		switch {
		case err != nil:
			return Entry{}, err
		case e.Epoch == nil:
			continue
		case e.State.Epoch == epoch:
			return e, nil
		}
		oldest = e.State.Epoch
		newest = max(newest, oldest)
		if oldest < epoch {
			break
		}
	}
	if newest == 0 {
		return Entry{}, connectors.Errorf(connectors.Permanent, "the ledger (%s) has no certificate of epoch %d, nor of any other one", ledger, epoch)
	}
	missing := connectors.Errorf(connectors.Permanent, "the ledger (%s) has no certificate of epoch %d", ledger, epoch)
	switch {
	case epoch > newest:
		return Entry{}, missing.WithHelp("the newest certified epoch is %d", newest)
	case epoch < oldest:
		return Entry{}, missing.WithHelp("it reaches from epoch %d to %d", oldest, newest)
	}
	return Entry{}, missing.WithHelp("it is gone from between those of other epochs: %d is the next one before it", oldest)
}

// newestRecord is the newest record of a flow's epoch chain, and an error if there
// is none.
func (c *chain) newestRecord(ctx context.Context) (*Record, uint64, error) {
	last, version, err := c.readRecord(ctx)
	if err == nil && last == nil {
		err = connectors.Errorf(connectors.Permanent, "the ledger (%s) has no records of this flow", c.ledger).
			WithHelp("check the flow's name and its --namespace; a flow leaves its first record when it is run")
	}
	return last, version, err
}

// recordAt is the record of the epoch chain with that version.
func (c *chain) recordAt(ctx context.Context, version uint64) (*Record, error) {
	entry, err := c.ledger.At(ctx, epochChain, version)
	if err != nil {
		return nil, err
	}
	return c.decode(entry)
}
