package exec

import (
	"context"
	"errors"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// Repaired is what became of an epoch of which rows were missing.
type Repaired struct {
	Epoch uint64 `json:"epoch"`
	Rows  int    `json:"rows"` // that were written again
	// Refused are rows that the destination took for copies of what it remembers, and
	// did not store: their ids are within its duplicate window still.
	Refused int    `json:"refused"`
	Failed  string `json:"failed,omitempty"` // why it is not repaired
}

// Repair writes the rows again that Verify found missing, epoch by epoch, from the
// messages that they were made of, and records where they are now. What is there is
// not written again. An owner that runs meanwhile is superseded. An epoch whose
// messages the source does not hold any more, or that another version of the flow
// wrote, stays as it is, and says so.
func Repair(ctx context.Context, flow *planner.Flow, ledger connectors.Ledger, found *Evidence, notice func(connectors.Notice)) ([]Repaired, error) {
	r, err := newReplayer(ctx, flow, ledger, notice)
	if err != nil {
		return nil, err
	}
	defer r.close()
	if r.chain, err = takeOver(ctx, ledger); err != nil {
		return nil, err
	}
	if err := r.chain.append(ctx, ClaimRecord, r.chain.state); err != nil {
		return nil, changedMeanwhile(err)
	}
	if err := r.open(ctx, false); err != nil {
		return nil, err
	}
	var done []Repaired
	for _, certificate := range found.certificates {
		if !found.missing[certificate.State.Epoch] {
			continue
		}
		repaired, err := r.repair(ctx, certificate, found)
		if why, ok := errors.AsType[*notAgainError](err); ok {
			repaired, err = Repaired{Epoch: certificate.State.Epoch, Failed: withHelp(why)}, nil
		}
		if err != nil {
			return done, err
		}
		done = append(done, repaired)
	}
	return done, nil
}

// withHelp is an error's text, and what to do about it.
func withHelp(err error) string {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Help != "" {
		return err.Error() + "; " + e.Help
	}
	return err.Error()
}

// repair writes one epoch's missing rows, and the record that says so.
func (r *replayer) repair(ctx context.Context, certificate Entry, found *Evidence) (Repaired, error) {
	done := Repaired{Epoch: certificate.State.Epoch}
	e, err := r.again(ctx, certificate)
	if err != nil {
		return done, err
	}
	if err := r.ready(ctx, e); err != nil {
		return done, err
	}
	for i, sink := range r.sinks {
		r.keep(e, i, sink, func(p connectors.Prepared) bool { return !found.holds(r.flow.Sinks[i].Connection.Name, p) })
	}
	if err := r.ready(ctx, e); err != nil {
		return done, err
	}
	for i, sink := range r.sinks {
		if err := sink.Apply(ctx); err != nil {
			return done, r.sinkFailed(i, err)
		}
	}
	if err := r.commit(ctx, e); err != nil {
		return done, err
	}
	for _, receipt := range e.receipts {
		done.Rows += receipt.Rows - receipt.Duplicates
		done.Refused += receipt.Duplicates
	}
	record := Record{Kind: RepairRecord, State: r.chain.state.unmarked(), Repair: &RepairedEpoch{Epoch: done.Epoch, Receipts: e.receipts}}
	return done, changedMeanwhile(r.chain.write(ctx, record))
}

// keep leaves of a sink's rows those that are wanted.
func (r *replayer) keep(e *epoch, i int, sink connectors.Sink, wanted func(connectors.Prepared) bool) {
	wants := map[*connectors.Message]bool{}
	sink.Prepared(func(p connectors.Prepared) {
		if wanted(p) {
			wants[p.From] = true
		}
	})
	for _, p := range e.parts {
		if p.output == nil {
			continue
		}
		var kept []int
		for _, row := range p.chosen[i] {
			if wants[&p.messages[row]] {
				kept = append(kept, row)
			}
		}
		p.chosen[i] = kept
	}
}

// holds says whether a message that would be written is there already.
func (e *Evidence) holds(connection string, p connectors.Prepared) bool {
	for _, d := range e.looked {
		if d.connection == connection && d.stream == p.Stream {
			s := stray{subject: p.Subject, id: p.ID, event: p.Event}
			return d.seen[s.key()] != nil
		}
	}
	return false
}
