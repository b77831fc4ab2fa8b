package exec_test

import (
	"slices"
	"testing"
)

// A flow that began with `start new` and has certified nothing begins at the same
// place again, even if its consumer is gone.
func TestAStartHoldsBeforeTheFirstCertificate(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 5)
	const text = `flow orders from nats "orders.>" start new epoch 1000/200ms to nats stream "OUT" subject "out.v1"`
	totals, err := w.drain(text)
	if err != nil || totals.Epochs != 0 {
		t.Fatalf("expected nothing to read, found %d epochs, %v", totals.Epochs, err)
	}
	if err := w.js.DeleteConsumer(t.Context(), "ORDERS", "flow-default-orders"); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(6, 8)
	if _, err := w.drain(text); err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, []int{6, 7, 8}) {
		t.Errorf("expected what came after the first start, found %v", ids)
	}
	kept := 0
	for _, r := range w.records() {
		if r.Kind == "claim" && len(r.State.Positions) == 1 && r.State.Positions[0].Sequence == 5 {
			kept++
		}
	}
	if kept < 1 {
		t.Errorf("expected a claim that keeps the position, found %+v", w.records())
	}
}
