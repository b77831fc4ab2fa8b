package exec

import (
	"context"

	"github.com/flowlang/flow/connectors"
)

// Hole is a place where records of a flow's epoch chain are gone, though older ones
// are there.
type Hole struct {
	// After and Before are the epochs next to the hole: what came between them has no
	// certificate any more. They are neighbors where only other records are gone.
	After  uint64 `json:"after"`
	Before uint64 `json:"before"`
}

// chronicle is a flow's epoch chain from its oldest record on, or from where its name
// began anew after another flow had adopted it.
type chronicle struct {
	certificates []Entry
	repairs      map[uint64][]connectors.Receipt // by epoch
	accepted     uint64                          // the last epoch before the newest acceptance
	holes        []Hole
	// cut says that the ledger has dropped the chain's beginning.
	cut bool
}

// readChronicle costs one read of the ledger for each record.
func readChronicle(ctx context.Context, ledger connectors.Ledger) (*chronicle, error) {
	all, c := &chronicle{repairs: map[uint64][]connectors.Receipt{}}, chain{ledger: ledger}
	var last Entry
	for {
		entry, err := ledger.Next(ctx, epochChain, last.Version)
		if err != nil {
			return nil, err
		}
		if entry.Version == 0 {
			return all, nil
		}
		r, err := c.decode(entry)
		if err != nil {
			return nil, err
		}
		now := Entry{Version: entry.Version, Record: *r}
		all.add(last, now)
		last = now
	}
}

func (all *chronicle) add(last, now Entry) {
	switch {
	case last.Kind == AdoptedRecord && now.State.Epoch < last.State.Epoch:
		// The name began anew, from its first epoch on. What it certified before is the
		// other flow's past now.
		*all = chronicle{repairs: map[uint64][]connectors.Receipt{}}
	case last.Version == 0:
		all.cut = now.Previous != 0
	case now.Previous != last.Version, now.Epoch != nil && now.State.Epoch != last.State.Epoch+1:
		before := now.State.Epoch
		if now.Epoch == nil {
			before++ // the next one that can have a certificate
		}
		all.holes = append(all.holes, Hole{After: last.State.Epoch, Before: before})
	}
	switch {
	case now.Epoch != nil:
		all.certificates = append(all.certificates, now)
	case now.Repair != nil:
		all.repairs[now.Repair.Epoch] = append(all.repairs[now.Repair.Epoch], now.Repair.Receipts...)
	case now.Kind == AcceptRecord:
		all.accepted = now.State.Epoch
	}
}

// between are the certificates of the epochs from one to another, and those before.
func (all *chronicle) between(from, to uint64) (before, within []Entry) {
	for _, e := range all.certificates {
		switch {
		case e.State.Epoch < from:
			before = append(before, e)
		case e.State.Epoch <= to:
			within = append(within, e)
		}
	}
	return before, within
}
