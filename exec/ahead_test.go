package exec_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
)

const aheadFlow = `from nats "orders.>" epoch 5/1s select { id } to nats stream "OUT" subject "out.v1"`

// drainAhead drains that flow. Before a certificate is written, the epoch behind it is
// waited for, and before gets the certificate's number and how many rows that epoch has.
func (w *world) drainAhead(before func(number, rows int) error) (exec.Totals, error) {
	w.t.Helper()
	handle := exec.NewHandle()
	return w.drainOver(aheadFlow, exec.Options{Handle: handle}, beforeCertificate(func(number int) error {
		rows := 0
		eventually(w.t, "the next epoch is read while this one waits", func() (whole bool) {
			rows, whole = handle.Ahead()
			return whole
		})
		return before(number, rows)
	}))
}

func TestNextEpochIsReadWhileOneWaits(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 20)
	var ahead []int
	totals, err := w.drainAhead(func(_, rows int) error {
		ahead = append(ahead, rows)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ahead, []int{5, 5, 5, 0}) {
		t.Errorf("while the epochs were certified, the next ones had %v rows transformed", ahead)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(20)) || totals.Epochs != 4 {
		t.Errorf("%d epochs wrote %v", totals.Epochs, ids)
	}
}

func TestEpochAheadOfAFailedOneIsReleasedUntouched(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 20)
	failed := false
	totals, err := w.drainAhead(func(number, _ int) error {
		if number != 2 {
			return nil
		}
		failed = true
		return connectors.Errorf(connectors.Transient, "planted")
	})
	if err != nil || !failed {
		t.Fatal(failed, err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(20)) {
		t.Errorf("OUT holds %v", ids)
	}
	if totals.Epochs != 4 || totals.Read != 20 || totals.Duplicates != 5 {
		t.Errorf("%d epochs of %d messages, %d duplicates: only the failed epoch is written again", totals.Epochs, totals.Read, totals.Duplicates)
	}
}

func TestFaultAheadLetsTheEpochBeforeItEnd(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 7)
	w.publish("orders.a", `{"id":"eight"}`)
	_, err := w.drainAhead(func(int, int) error { return nil })
	fault, ok := errors.AsType[*exec.RowFault](err)
	if !ok || fault.Sequence != 8 {
		t.Fatalf("the error is %v", err)
	}
	records := w.records()
	if ids, last := w.ids("OUT"), records[len(records)-1].State.Epoch; !slices.Equal(ids, upTo(5)) || last != 1 {
		t.Errorf("epoch %d is the last certified one, and %v are written", last, ids)
	}
}
