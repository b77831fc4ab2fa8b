package exec_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// everyStepFlow writes exactly once into two streams, at least once into a third, and
// has one of them hold its dead letters, too.
const everyStepFlow = `from nats "orders.>" schema { id: int } epoch 7/200ms
	to nats stream "V1" subject "v1.orders" exactly once
	to nats stream "V2" subject "v2.orders" exactly once
	to nats stream "COPY" subject "copy.orders"
	on error retry 20 backoff 1ms..5ms then dead letter to nats subject "dead.orders"`

const poisonID = 12

// everyStep is a world for that flow, with 30 messages, one of them poison.
func everyStep(t *testing.T) *world {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	for _, out := range []jetstream.StreamConfig{{Name: "V1", Subjects: []string{"v1.>", "dead.>", "flow.marker.V1.>"}}, {Name: "V2", Subjects: []string{"v2.>", "flow.marker.V2.>"}}} {
		out.Storage = jetstream.MemoryStorage // a batch into a file takes the server many times as long
		out.AllowAtomicPublish, out.AllowRollup = true, true
		w.stream(out)
	}
	w.publishIDs(1, poisonID-1)
	w.publish("orders.a", `{"id":"poison"}`)
	w.publishIDs(poisonID+1, 30)
	return w
}

// allButPoison is what each destination must hold, in this order.
func allButPoison() []int {
	return slices.DeleteFunc(upTo(30), func(id int) bool { return id == poisonID })
}

func (w *world) checkEveryStep(what string) {
	w.t.Helper()
	for _, stream := range []string{"V1", "V2", "COPY"} {
		if ids := w.rowIDs(stream, "dead.orders"); !slices.Equal(ids, allButPoison()) {
			w.t.Errorf("%s: %s holds %v", what, stream, ids)
		}
	}
	if dead := w.on("V1", "dead.orders"); len(dead) != 1 || string(dead[0].Data) != `{"id":"poison"}` {
		w.t.Errorf("%s: there are %d dead letters", what, len(dead))
	}
	checkChain(w.t, w.records())
	w.checkReceipts(what)
	if c := w.consumer("ORDERS"); c.NumAckPending != 0 || c.NumPending != 0 {
		w.t.Errorf("%s: %d messages are left, and %d are not acknowledged", what, c.NumPending, c.NumAckPending)
	}
}

// checkReceipts compares what the certificates say of V1 with what it holds.
func (w *world) checkReceipts(what string) {
	w.t.Helper()
	rows, sequences := 0, map[uint64]bool{}
	for _, m := range w.on("V1", "v1.orders") {
		sequences[m.Sequence] = true
	}
	for _, r := range w.records() {
		if r.Epoch == nil {
			continue
		}
		for _, receipt := range r.Epoch.Receipts {
			if receipt.Stream != "V1" || receipt.First == 0 {
				continue
			}
			rows += receipt.Rows - receipt.Duplicates
			if !sequences[receipt.First] || !sequences[receipt.Last] || receipt.Last-receipt.First != uint64(receipt.Rows-receipt.Duplicates-1) {
				w.t.Errorf("%s: V1 has no rows from %d to %d, as epoch %d says", what, receipt.First, receipt.Last, r.State.Epoch)
			}
		}
	}
	if rows != len(allButPoison()) {
		w.t.Errorf("%s: the certificates tell of %d rows in V1", what, rows)
	}
}

// on are the messages of one subject.
func (w *world) on(stream, subject string) []*jetstream.RawStreamMsg {
	w.t.Helper()
	return slices.DeleteFunc(w.messages(stream), func(m *jetstream.RawStreamMsg) bool { return m.Subject != subject })
}

func (w *world) drainStepped(text string, s *steps) error {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	_, err := exec.Run(ctx, w.steppedPlan(text, s), exec.Options{UntilCaughtUp: true, Replace: true, OnEvent: func(e exec.Event) {
		if e.Kind == exec.Certified && (e.Done == nil || len(e.Done.Ranges) == 0 || len(e.Done.Receipts) == 0 || e.Done.Counts[0].Read == 0) {
			w.t.Errorf("nothing is told of epoch %d: %+v", e.Epoch, e.Done)
		}
	}})
	return err
}

// everyStepName are the steps of a run of that flow, as a run meets them.
func everyStepName(t *testing.T) []string {
	t.Helper()
	w, s := everyStep(t), &steps{}
	if err := w.drainStepped(everyStepFlow, s); err != nil {
		t.Fatal(err)
	}
	w.checkEveryStep("undisturbed")
	for _, wanted := range []string{"before mark V1", "after commit V2", "before commit V1", "after commit V1", "after append epoch", "before ack", "after seek", "before apply"} {
		if !slices.Contains(s.seen, wanted) {
			t.Fatalf("the run did not meet %q, but %q", wanted, s.seen)
		}
	}
	return s.seen
}

// occasions says at which time of a step a test interferes: in a drill at several, else
// in the second epoch, or at the start where a step comes once.
func occasions(step string) []int32 {
	switch {
	case os.Getenv("FLOW_DRILL") != "":
		return []int32{1, 2, 3, 4}
	case strings.Contains(step, "mark"), strings.Contains(step, "seek"), strings.Contains(step, "spec"):
		return []int32{1}
	}
	return []int32{2}
}

func TestExitAtEveryStep(t *testing.T) {
	for _, step := range everyStepName(t) {
		for _, times := range occasions(step) {
			w := everyStep(t)
			ctx, exit := context.WithCancelCause(t.Context())
			var met atomic.Int32
			s := &steps{at: func(name string) error {
				if name == step && met.Add(1) == times {
					exit(errors.New("killed"))
				}
				return ctx.Err()
			}}
			_, err := exec.Run(ctx, w.steppedPlan(everyStepFlow, s), exec.Options{UntilCaughtUp: true})
			if met.Load() < times {
				continue // a start meets some steps once
			}
			if err == nil {
				t.Errorf("exit at %q: the run was not cut", step)
			}
			if err := w.drainStepped(everyStepFlow, &steps{}); err != nil {
				t.Errorf("exit at %q: %v", step, err)
				continue
			}
			w.checkEveryStep(fmt.Sprintf("exit at %q, time %d", step, times))
		}
	}
}

func TestExactlyOnceThroughABoundConsumer(t *testing.T) {
	const text = `from nats stream "ORDERS" consumer "C" as orders epoch 7/200ms to nats stream "V1" subject "v1.orders" exactly once`
	w := newWorld(t)
	w.batches()
	if _, err := w.js.CreateConsumer(t.Context(), "ORDERS", bindable()); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(1, 5)
	for _, step := range []string{"after commit V1", "before ack", "before append epoch", "after append epoch"} {
		ctx, exit := context.WithCancelCause(t.Context())
		s := &steps{at: func(name string) error {
			if name == step {
				exit(errors.New("killed"))
			}
			return ctx.Err()
		}}
		if _, err := exec.Run(ctx, w.steppedPlan(text, s), exec.Options{UntilCaughtUp: true}); err == nil {
			t.Errorf("exit at %q: the run was not cut", step)
		}
	}
	if err := w.drainStepped(text, &steps{}); err != nil {
		t.Fatal(err)
	}
	if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(5)) {
		t.Errorf("V1 holds %v", ids)
	}
}

func TestFlowThatIsChangedAfterACrash(t *testing.T) {
	for name, changed := range map[string]string{
		"at least once":  nowPlain,
		"another marker": strings.Replace(exactFlow, "exactly once", `exactly once marker "flow.marker.V1.mine"`, 1),
	} {
		w := newWorld(t)
		w.batches()
		w.publishIDs(1, 20)
		text := strings.Replace(exactFlow, "1000", "7", 1)
		ctx, exit := context.WithCancelCause(t.Context())
		commits := 0
		s := &steps{at: func(step string) error {
			if step == "after commit V1" {
				if commits++; commits == 2 {
					exit(errors.New("killed"))
				}
			}
			return ctx.Err()
		}}
		if _, err := exec.Run(ctx, w.steppedPlan(text, s), exec.Options{UntilCaughtUp: true}); err == nil {
			t.Fatal("the run was not cut")
		}
		for range 2 {
			if err := w.drainStepped(changed, &steps{}); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(20)) {
			t.Errorf("%s: V1 holds %v", name, ids)
		}
		checkChain(t, w.records())
	}
}

func TestFailureAtEveryStep(t *testing.T) {
	for _, step := range everyStepName(t) {
		if strings.Contains(step, "append spec") || strings.Contains(step, "append schema") {
			continue // at the start a failure ends the run, and this flow has no schema to write
		}
		w := everyStep(t)
		var met atomic.Int32
		s := &steps{at: func(name string) error {
			if name == step && met.Add(1) == 2 {
				return connectors.Errorf(connectors.Transient, "planted")
			}
			return nil
		}}
		if err := w.drainStepped(everyStepFlow, s); err != nil {
			t.Errorf("failure at %q: %v", step, err)
			continue
		}
		w.checkEveryStep(fmt.Sprintf("failure at %q", step))
	}
}
