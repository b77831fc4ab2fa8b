package exec

import (
	"cmp"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// badRows are the faults of one epoch that do not stop the flow.
type badRows struct {
	action planner.BadRow
	faults []*RowFault
}

// take keeps a fault; false means that it stops the flow.
func (b *badRows) take(fault *RowFault) bool {
	if b.action == planner.StopAtBadRow {
		return false
	}
	b.faults = append(b.faults, fault)
	return true
}

// Of an epoch with at least manyRows rows, more than half being bad is taken for
// a producer that has changed, not for poison.
const manyRows = 20

// tooMany is an error if so many rows are bad that the flow has to stop.
func (b *badRows) tooMany(of int) error {
	if of < manyRows || 2*len(b.letters()) <= of {
		return nil
	}
	return connectors.Errorf(connectors.Permanent, "%d of the %d rows of this epoch are bad, more than half: the producer seems to have changed. The first one: %s", len(b.letters()), of, b.faults[0].Error()).
		WithHelp("change the flow to fit the data, or run it once with --accept-dead; nothing of this epoch was written, certified or acknowledged")
}

func (m *machine) tooMany(e *epoch) error {
	if m.options.AcceptDead {
		return nil
	}
	return e.bad.tooMany(len(e.delivery.Messages()))
}

// letters are the messages of the bad rows, each once, in the order of their stream.
func (b *badRows) letters() []connectors.DeadLetter {
	seen := map[*connectors.Message]bool{}
	var letters []connectors.DeadLetter
	for _, f := range b.faults {
		if !seen[f.message] {
			seen[f.message] = true
			letters = append(letters, connectors.DeadLetter{Message: f.message, Code: string(f.Code), Reason: f.Err.Error()})
		}
	}
	slices.SortStableFunc(letters, func(a, b connectors.DeadLetter) int { return cmp.Compare(a.Message.Sequence, b.Message.Sequence) })
	return letters
}
