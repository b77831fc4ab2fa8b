package exec

import (
	"context"
	"errors"
	"fmt"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// ReplayedLetter is what became of a dead letter that went through its flow again.
type ReplayedLetter struct {
	Stream   string `json:"stream"` // that held the letter
	Sequence uint64 `json:"sequence"`
	Event    string `json:"event,omitempty"`
	Rows     int    `json:"rows"` // that were written; 0 if the flow filters it now
	// Failed says why it is a dead letter still; empty if it is gone.
	Failed string `json:"failed,omitempty"`
}

// ReplayLetters lets dead letters go through the flow as it is now: what comes of the
// original message is written as the row of the original event. A repetition is
// dropped like any other; rows that an earlier replay wrote before it was cut are
// looked for in their streams, and not written again, however long that is ago. Another
// replay may go on meanwhile. A letter is removed once that is acknowledged; one whose
// message is bad still stays. The flow may run meanwhile: nothing is certified, and no
// reader is touched. told is called for each letter.
func ReplayLetters(ctx context.Context, flow *planner.Flow, ledger connectors.Ledger, letters []connectors.Letter, notice func(connectors.Notice), told func(ReplayedLetter)) error {
	if flow.Dead == nil {
		return connectors.Errorf(connectors.Refused, "flow %s keeps no dead letters", flow.Identity).WithHelp("let it: `on error dead letter`")
	}
	r, err := newReplayer(ctx, flow, ledger, notice)
	if err != nil {
		return err
	}
	defer r.close()
	r.options.AcceptDead = true // a person has chosen these
	last, _, err := r.chain.newestRecord(ctx)
	if err != nil {
		return err
	}
	for _, resource := range r.resources {
		if err := resource.load(ctx, ledger, last.State.Schemas[resource.name]); err != nil {
			return err
		}
	}
	if err := r.open(ctx, false); err != nil {
		return err
	}
	announced := newAnnouncements()
	for len(letters) > 0 {
		n := min(len(letters), flow.Epoch.MaxRecords)
		if err := r.replayLetters(ctx, letters[:n], announced, told); err != nil {
			return err
		}
		letters = letters[n:]
	}
	return nil
}

// replayLetters writes what comes of some letters, says so in the ledger, and removes
// them.
func (r *replayer) replayLetters(ctx context.Context, letters []connectors.Letter, announced *announcements, told func(ReplayedLetter)) error {
	e := r.slots[0]
	e.begin(planner.SkipBadRows)
	e.delivery = rereadDelivery(usable(letters))
	if err := r.decode(e); err != nil {
		return err
	}
	if err := r.transform(e); err != nil {
		return err
	}
	if err := r.ready(ctx, e); err != nil {
		return err
	}
	written := r.rowsOf()
	for {
		err := r.announceRows(ctx, e, announced)
		if err == nil {
			break
		}
		if !errors.Is(err, connectors.ErrSuperseded) {
			return err
		}
		// Another replay has announced rows since, which may be the same ones.
	}
	for i, sink := range r.sinks {
		if err := sink.Apply(ctx); err != nil {
			return r.sinkFailed(i, err)
		}
	}
	if err := r.commit(ctx, e); err != nil {
		return err
	}
	return r.settle(ctx, e, letters, written, told)
}

// usable are the messages of letters that say which event they were.
func usable(letters []connectors.Letter) []connectors.Message {
	var messages []connectors.Message
	for i := range letters {
		if letters[i].Message.Source != nil {
			messages = append(messages, letters[i].Message)
		}
	}
	return messages
}

// settle removes the letters that went through, and tells of each what became of it.
func (r *replayer) settle(ctx context.Context, e *epoch, letters []connectors.Letter, written letterRows, told func(ReplayedLetter)) error {
	bad := map[string]string{}
	for _, f := range e.bad.faults {
		bad[string(f.message.AppendEventID(nil))] = fmt.Sprintf("%s: %v", f.Code, f.Err)
	}
	for _, l := range letters {
		done := ReplayedLetter{Stream: l.Stream, Sequence: l.Sequence}
		if l.Message.Source == nil {
			done.Failed = "it does not say which event it was: an older flowc wrote it"
		} else {
			done.Event = string(l.Message.AppendEventID(nil))
			done.Rows, done.Failed = written.counts[done.Event], bad[done.Event]
		}
		if done.Failed == "" {
			if err := r.conns[r.flow.Dead.Connection].RemoveLetter(ctx, l.Stream, l.Sequence); err != nil {
				return err
			}
		}
		told(done)
	}
	return nil
}
