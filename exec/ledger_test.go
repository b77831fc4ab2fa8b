package exec_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors/localledger"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// localLedger is an empty one, of the test's own.
func localLedger(t *testing.T) *localledger.Directory {
	t.Helper()
	directory, err := localledger.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	return directory
}

func TestTheLedgerMayBeElsewhere(t *testing.T) {
	w := newWorld(t)
	w.plain()
	directory := localLedger(t)
	for run := range 2 {
		w.publishIDs(5*run+1, 5*run+5)
		var admitted exec.Event
		totals, err := exec.Run(t.Context(), w.plan(plainFlow), exec.Options{
			UntilCaughtUp: true, Ledger: directory.OpenLedger,
			OnEvent: func(e exec.Event) {
				if e.Kind == exec.Admitted {
					admitted = e
				}
			},
		})
		if err != nil || totals.Read != 5 || admitted.Epoch != uint64(run) {
			t.Errorf("run %d: expected 5 messages after epoch %d, found %+v after %d, %v", run, run, totals, admitted.Epoch, err)
		}
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(10)) {
		t.Errorf("OUT holds %v", ids)
	}
	if _, err := w.js.Stream(t.Context(), "FLOW_LEDGER"); !errors.Is(err, jetstream.ErrStreamNotFound) {
		t.Errorf("expected no ledger at the server, found %v", err)
	}
}
