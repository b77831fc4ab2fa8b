package main

import (
	"strings"
	"testing"
)

// TestARunThatGoesOn resets a schema of a running flow and removes what it left,
// which the run must notice.
func TestARunThatGoesOn(t *testing.T) {
	w := newWorld(t)
	p := w.owner(w.flow("1000/50ms"), 10)
	eventually(t, "it is certified and waits for more", func() bool {
		c := w.consumer()
		return c.AckFloor.Stream == 10 && c.NumWaiting > 0
	})

	r := w.flowc("schema", "reset", "orders", "orders", "--yes")
	if r.status != statusFailed || !strings.Contains(r.errs, "flow default/orders runs: somebody waits for messages through the consumer flow-default-orders of stream ORDERS") {
		t.Errorf("expected that a reset is refused, found status %d\n%s", r.status, r.errs)
	}
	if p.ended() {
		t.Fatal("a reset that was refused ended the run")
	}

	r = w.flowc("rm", "orders", "--yes")
	if r.status != statusDone || !strings.Contains(r.out, "in use by a run that will stop") || !strings.Contains(r.out, "removed; ") {
		t.Errorf("expected that it is removed, found status %d\n%s%s", r.status, r.out, r.errs)
	}
	p.ends(statusFailed, soon)
	p.says("has lost this flow's records while it ran")
	if r = w.flowc("rm", "orders", "--yes"); !strings.Contains(r.out, "flow default/orders left nothing on ") {
		t.Errorf("the run left something again\n%s%s", r.out, r.errs)
	}
	if got := w.stored("OUT"); got != 10 {
		t.Errorf("expected 10 messages in OUT, found %d", got)
	}
}
