package exec_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

const onceFlow = `from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1" exactly once`

// TestRepairOfWhatIsWrittenOnce writes two rows again that were removed out of the
// middle, and goes on behind the marker.
func TestRepairOfWhatIsWrittenOnce(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publishIDs(1, 40)
	w.mustDrain(onceFlow)
	found := w.verify()
	if expectCounts(t, found, exec.RowCounts{Rows: 40, Found: 40}); !found.Complete() {
		t.Errorf("found %+v", found)
	}
	var sequences []uint64
	for _, m := range w.messages("OUT") {
		if m.Subject == "out.v1" && (idOf(t, m.Data) == 15 || idOf(t, m.Data) == 33) {
			sequences = append(sequences, m.Sequence)
		}
	}
	w.remove(sequences...)
	expectCounts(t, w.verify(), exec.RowCounts{Rows: 40, Found: 38, Missing: 2})
	if done, want := w.repair(onceFlow), []exec.Repaired{{Epoch: 2, Rows: 1}, {Epoch: 4, Rows: 1}}; !slices.Equal(done, want) {
		t.Errorf("expected %+v, found %+v", want, done)
	}
	if found := w.verify(); !found.Complete() {
		t.Errorf("after the repair: %+v", found)
	}
	w.publishIDs(41, 45)
	w.mustDrain(onceFlow)
	if got := w.rowIDs("OUT"); len(got) != 45 || got[len(got)-1] != 45 {
		t.Errorf("OUT holds %v", got)
	}
	expectCounts(t, w.verify(), exec.RowCounts{Rows: 45, Found: 45})
}

func idOf(t *testing.T, data []byte) int {
	t.Helper()
	var body struct{ ID int }
	if err := json.Unmarshal(data, &body); err != nil {
		t.Fatal(err)
	}
	return body.ID
}
