package exec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// renamed is the flow of every step under another name.
const renamed = "flow renamed " + everyStepFlow

// adoptStepped runs it until it is caught up, going on from the flow of every step.
func (w *world) adoptStepped(ctx context.Context, s *steps) error {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	_, err := exec.Run(ctx, w.steppedPlan(renamed, s), exec.Options{UntilCaughtUp: true, Replace: true, Adopt: "orders"})
	return err
}

// expectOnce looks whether what is written exactly once is there once, and in order.
func (w *world) expectOnce(what string) {
	w.t.Helper()
	for _, stream := range []string{"V1", "V2"} {
		if ids := w.rowIDs(stream, "dead.orders"); !slices.Equal(ids, allButPoison()) {
			w.t.Errorf("%s: %s holds %v", what, stream, ids)
		}
	}
	if n := len(w.on("V1", "dead.orders")); n != 1 {
		w.t.Errorf("%s: there are %d dead letters", what, n)
	}
}

// killedAt exits at a step, when it comes for the given time.
func killedAt(ctx context.Context, step string, times int32) (context.Context, *steps) {
	ctx, exit := context.WithCancelCause(ctx)
	var met atomic.Int32
	return ctx, &steps{at: func(name string) error {
		if name == step && met.Add(1) == times {
			exit(errors.New("killed"))
		}
		return ctx.Err()
	}}
}

// The old flow exits at each step; the one that adopts it exits at each step, too, and
// is started again.
func TestAnAdoptionThatIsCutAnywhereWritesOnce(t *testing.T) {
	t.Parallel()
	all := append(everyStepName(t), "before supersede V1", "after supersede V1", "before supersede V2", "after supersede V2")
	for _, step := range all {
		w := everyStep(t)
		old, times := step, int32(2)
		switch {
		case strings.Contains(step, "mark"), strings.Contains(step, "seek"), strings.Contains(step, "spec"):
			times = 1
		case strings.Contains(step, "supersede"):
			old = "after commit V1" // with the epoch in both streams, and without its certificate
		}
		ctx, s := killedAt(t.Context(), old, times)
		_, _ = exec.Run(ctx, w.steppedPlan(everyStepFlow, s), exec.Options{UntilCaughtUp: true}) // cut
		ctx, s = killedAt(t.Context(), step, 1)
		if err := w.adoptStepped(ctx, s); err == nil && ctx.Err() != nil {
			t.Errorf("exit at %q: the adopting run was not cut", step)
		}
		if err := w.adoptStepped(t.Context(), &steps{}); err != nil {
			t.Errorf("exit at %q: %v", step, err)
			continue
		}
		w.expectOnce(fmt.Sprintf("exit at %q", step))
	}
}

// adoptedWhileFrozen lets an owner stop right before it commits its first epoch into V1,
// the second of its streams; another name adopts the flow and does everything, and the
// owner goes on then.
func adoptedWhileFrozen(t *testing.T, adopting *steps) *world {
	w := everyStep(t)
	reached, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	frozen := &steps{at: func(step string) error {
		if step == "before commit V1" && goOn != nil {
			close(reached)
			<-goOn
			goOn = nil
		}
		return nil
	}}
	go func() { ended <- w.drainStepped(everyStepFlow, frozen) }()
	<-reached
	if err := w.adoptStepped(t.Context(), adopting); err != nil {
		t.Error(err)
	}
	close(goOn)
	if err := <-ended; !errors.Is(err, connectors.ErrSuperseded) || !strings.Contains(err.Error(), "continues the flow as renamed") {
		t.Errorf("the former owner ended with %v", err)
	}
	return w
}

func TestAnAdoptedFlowCommitsNothing(t *testing.T) {
	t.Parallel()
	adoptedWhileFrozen(t, &steps{}).expectOnce("adopted while it was frozen")
}

// What the test before it would find if the old markers were left as they are.
func TestAnAdoptedFlowWithoutTheFence(t *testing.T) {
	t.Parallel()
	w := adoptedWhileFrozen(t, &steps{unfenced: true})
	if ids := w.rowIDs("V1", "dead.orders"); len(ids) <= len(allButPoison()) {
		t.Errorf("without a fence nothing is doubled: V1 holds %v", ids)
	}
}

// A flow changes its name and its guarantee, together and by turns.
func TestNamesAndGuaranteesChange(t *testing.T) {
	for _, marker := range []string{"", ` marker "v1marker"`} {
		w := newWorld(t)
		w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
		w.stream(jetstream.StreamConfig{Name: "V1", Subjects: []string{"v1.>", "v1marker", "flow.marker.V1.>"}, AllowAtomicPublish: true, AllowRollup: true, Storage: jetstream.MemoryStorage})
		once := " exactly once" + marker
		for i, step := range []struct{ name, guarantee, adopt string }{
			{"a", once, ""}, {"b", once, "a"}, {"b", once, "a"}, {"a", once, "b"}, {"c", "", "a"}, {"c", "", ""}, {"a", once, "c"}, {"a", "", ""}, {"b", once, "a"}, {"b", once, ""},
		} {
			w.publishIDs(10*i+1, 10*i+10)
			text := "flow " + step.name + ` from nats "orders.>" epoch 4/200ms to nats stream "V1" subject "v1.orders"` + step.guarantee
			if _, err := w.drainAs(text, exec.Options{Adopt: step.adopt}); err != nil {
				t.Fatalf("run %d%s: %v", i, marker, err)
			}
			if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(10*i+10)) {
				t.Fatalf("after run %d%s V1 holds %v", i, marker, ids)
			}
		}
	}
}

// What an old flow certified and committed has to be found before its chain ends.
func TestAFlowWhoseMarkersAreNotFoundIsNotAdopted(t *testing.T) {
	w := newWorld(t)
	w.batches()
	w.publishIDs(1, 5)
	if _, err := w.drain(exactFlow); err != nil {
		t.Fatal(err)
	}
	entries := len(w.messages("FLOW_LEDGER"))
	other := fmt.Sprintf("connection other nats url %q\nflow renamed ", w.url()) + strings.ReplaceAll(exactFlow, "nats ", "other ")
	_, err := w.drainAs(other, exec.Options{Adopt: "orders"})
	refused(t, err, "has its marker in stream V1 of the connection nats, and this program has no connection of that name")
	w.purge("V1", w.marker("V1").Subject)
	_, err = w.drainAs("flow renamed "+exactFlow, exec.Options{Adopt: "orders"})
	refused(t, err, "stream V1 has lost what flow orders wrote")
	if n := len(w.messages("FLOW_LEDGER")); n != entries {
		t.Error("a refused adoption wrote into the ledger")
	}
}
