package exec_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// changedFlow is plainFlow after a change of what it does.
const changedFlow = `from nats "orders.>" epoch 1000/200ms where id != 3 to nats stream "OUT" subject "out.v1"`

func (r *running) first(kind exec.EventKind) exec.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == kind {
			return e
		}
	}
	return exec.Event{}
}

func (r *running) becomes(t *testing.T, what string, kind exec.EventKind) {
	t.Helper()
	eventually(t, what, func() bool { return r.count(kind) > 0 || r.ended() })
	if r.count(kind) == 0 {
		t.Fatalf("%s: it ended with %v", what, r.err)
	}
}

// finish stops a run and expects a good end.
func (r *running) finish(t *testing.T) {
	t.Helper()
	close(r.stop)
	eventually(t, "the run ends", r.ended)
	if r.err != nil {
		t.Error(r.err)
	}
}

// standbyOf starts an owner, and another run that stands by.
func (w *world) standbyOf(text string) (owner, standby *running) {
	w.t.Helper()
	owner = w.start(text)
	owner.becomes(w.t, "the owner is admitted", exec.Admitted)
	standby = w.start(text)
	standby.becomes(w.t, "the second run stands by", exec.Standby)
	return owner, standby
}

func TestAStandbyChangesNothing(t *testing.T) {
	exec.AsIfElsewhere(t)
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 3)
	owner, standby := w.standbyOf(plainFlow)
	eventually(t, "the owner certifies", func() bool { return owner.count(exec.Certified) == 1 })
	before, made := w.messages("FLOW_LEDGER"), w.consumer("ORDERS")
	// For longer than the owner needs to show that it is there, idle.
	for over := time.Now().Add(2 * time.Second); time.Now().Before(over); time.Sleep(50 * time.Millisecond) {
		if standby.count(exec.Admitted) > 0 || owner.ended() {
			t.Fatalf("the standby took over from an owner that was there: %v", owner.err)
		}
	}
	if after := w.messages("FLOW_LEDGER"); len(after) != len(before) {
		t.Errorf("the ledger went from %d to %d entries", len(before), len(after))
	}
	if now := w.consumer("ORDERS"); !now.Created.Equal(made.Created) || now.Delivered.Consumer != made.Delivered.Consumer || now.NumRedelivered != 0 {
		t.Errorf("the consumer went from %+v to %+v", made, now)
	}
	if n := standby.count(exec.Standby); n != 1 || standby.first(exec.Standby).Owner.PID != os.Getpid() {
		t.Errorf("it was told %d times: %+v", n, standby.first(exec.Standby).Owner)
	}
	standby.finish(t)
	w.publishIDs(4, 4)
	eventually(t, "the owner goes on", func() bool { return len(w.messages("OUT")) == 4 })
	owner.finish(t)
	checkChain(t, w.records())
}

func TestAnOwnerThatStopsHandsOverAtOnce(t *testing.T) {
	exec.AsIfElsewhere(t)
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 10)
	owner, standby := w.standbyOf(plainFlow)
	eventually(t, "the owner writes", func() bool { return len(w.messages("OUT")) == 10 })
	owner.finish(t)
	began := time.Now()
	standby.becomes(t, "the standby takes over", exec.TookOver)
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %s", took)
	}
	w.publishIDs(11, 20)
	eventually(t, "the standby writes", func() bool { return len(w.messages("OUT")) == 20 })
	standby.finish(t)
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(20)) {
		t.Errorf("OUT holds %v", ids)
	}
	checkChain(t, w.records())
}

func TestAStandbyCatchesUpOnceItIsItsTurn(t *testing.T) {
	w := newWorld(t)
	w.plain()
	owner := w.start(plainFlow)
	owner.becomes(t, "the owner is admitted", exec.Admitted)
	standby := w.startAs(plainFlow, exec.Options{UntilCaughtUp: true})
	standby.becomes(t, "the second run stands by", exec.Standby)
	w.publishIDs(1, 10)
	owner.finish(t)
	eventually(t, "the standby is caught up", standby.ended)
	if standby.err != nil || standby.count(exec.TookOver) != 1 {
		t.Errorf("it ended with %v", standby.err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(10)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestOfTwoThatStartAtOnceOneStandsBy(t *testing.T) {
	exec.AsIfElsewhere(t)
	for range 5 {
		w := newWorld(t)
		w.plain()
		w.publishIDs(1, 10)
		runs := make([]*running, 3)
		var all sync.WaitGroup
		for i := range runs {
			all.Go(func() { runs[i] = w.start(plainFlow) })
		}
		all.Wait()
		admitted := func() (n int) {
			for _, r := range runs {
				n += r.count(exec.Admitted)
			}
			return n
		}
		eventually(t, "one owns the flow, and the others stand by", func() bool {
			standing := 0
			for _, r := range runs {
				standing += r.count(exec.Standby)
			}
			return admitted() == 1 && standing == 2
		})
		eventually(t, "all is written", func() bool { return len(w.messages("OUT")) == 10 })
		for _, r := range runs {
			if r.ended() {
				t.Errorf("one ended with %v", r.err)
			}
		}
		if ids := w.ids("OUT"); !slices.Equal(ids, upTo(10)) || admitted() != 1 {
			t.Errorf("%d runs own the flow, and OUT holds %v", admitted(), ids)
		}
		checkChain(t, w.records())
	}
}

func TestAChangedFlowIsRefusedWhileAnotherOneRuns(t *testing.T) {
	exec.AsIfElsewhere(t)
	w := newWorld(t)
	w.plain()
	owner, standby := w.standbyOf(plainFlow)
	entries := len(w.messages("FLOW_LEDGER"))
	_, err := w.drain(changedFlow)
	if connectors.ClassOf(err) != connectors.Refused {
		t.Fatalf("ended with %v", err)
	}
	host, _ := os.Hostname()
	for _, part := range []string{"process", host, "+ where id != 3"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
	if n := len(w.messages("FLOW_LEDGER")); n != entries {
		t.Errorf("a refused flow wrote into the ledger, which went from %d to %d entries", entries, n)
	}
	w.publishIDs(1, 3)
	replacing := w.startAs(changedFlow, exec.Options{Replace: true})
	replacing.becomes(t, "the changed flow takes over", exec.Admitted)
	eventually(t, "the owner stops", owner.ended)
	// A standby of the old program must not bring it back.
	eventually(t, "the standby ends", standby.ended)
	if connectors.ClassOf(standby.err) != connectors.Refused || !strings.Contains(standby.err.Error(), "another program") {
		t.Errorf("the standby ended with %v", standby.err)
	}
	replacing.finish(t)
	if _, err := w.drain(plainFlow); err != nil {
		t.Errorf("with nobody there a flow may be changed: %v", err)
	}
	checkChain(t, w.records())
}

// A consumer of the user's own is never changed, and tells nothing of who reads.
func TestTheNewestTakesABoundConsumerOver(t *testing.T) {
	w := newWorld(t)
	w.plain()
	if _, err := w.js.CreateConsumer(t.Context(), "ORDERS", bindable()); err != nil {
		t.Fatal(err)
	}
	former := w.start(boundFlow)
	former.becomes(t, "the first run is admitted", exec.Admitted)
	newest := w.start(boundFlow)
	newest.becomes(t, "the second run is admitted", exec.Admitted)
	eventually(t, "the first run stops", former.ended)
	newest.finish(t)
	c, err := w.js.Consumer(t.Context(), "ORDERS", bindable().Durable)
	if err != nil || c.CachedInfo().Config.PriorityPolicy != jetstream.PriorityPolicyNone {
		t.Errorf("the user's consumer is changed: %+v, %v", c, err)
	}
}

// The clock of whoever claimed last may be hours ahead of this process's.
func TestAClaimOfTheFutureHoldsNobodyUp(t *testing.T) {
	exec.AsIfElsewhere(t)
	w := newWorld(t)
	w.plain()
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	records := w.records()
	last := records[len(records)-1]
	if last.Kind != exec.ClaimRecord {
		t.Fatalf("the last record is a %s", last.Kind)
	}
	last.Owner.ID, last.Written = "another", time.Now().Add(time.Hour)
	data, err := json.Marshal(last)
	if err != nil {
		t.Fatal(err)
	}
	w.publish("flow.ledger.default.orders.epoch", string(data))
	run := w.start(plainFlow)
	run.becomes(t, "the flow is claimed", exec.Admitted)
	run.finish(t)
}

// An owner that was paused before it read anything was never given a message, and has
// no wish for one, though they wait.
func TestAStandbyLeavesAPausedOwnerAlone(t *testing.T) {
	exec.AsIfElsewhere(t)
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 10)
	handle := exec.NewHandle()
	handle.Pause()
	owner := w.startAs(plainFlow, exec.Options{Handle: handle})
	eventually(t, "the owner rests", func() bool { return handle.Status().State == exec.IsPaused })
	standby := w.start(plainFlow)
	standby.becomes(t, "the second run stands by", exec.Standby)
	for over := time.Now().Add(1500 * time.Millisecond); time.Now().Before(over); time.Sleep(50 * time.Millisecond) {
		if groups := w.consumer("ORDERS").PriorityGroups; len(groups) != 1 || groups[0].PinnedClientID == "" {
			t.Fatalf("the server has pinned nobody: %+v", groups)
		}
	}
	standby.finish(t)
	handle.Resume()
	w.reaches("OUT", 10)
	owner.finish(t)
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(10)) {
		t.Errorf("OUT holds %v", ids)
	}
}
