package exec_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
)

// ownersOf lets a first worker stop for a while right before it commits its first
// epoch, a second one do everything meanwhile, and the first go on then. It returns
// what V1 holds at the end.
func ownersOf(t *testing.T, first, second *steps) []int {
	t.Helper()
	w := everyStep(t)
	reached, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	first.at = func(step string) error {
		if step == "before commit V1" && goOn != nil {
			close(reached)
			<-goOn
			goOn = nil
		}
		return nil
	}
	go func() { ended <- w.drainStepped(everyStepFlow, first) }()
	<-reached
	if second.seek != nil {
		delivered := w.consumer("ORDERS").Delivered.Stream
		seek := second.seek
		second.seek = func(from []connectors.Position) []connectors.Position {
			return seek([]connectors.Position{{Incarnation: w.incarnation("ORDERS"), Sequence: delivered, Time: w.stored("ORDERS", delivered)}})
		}
	}
	if err := w.drainStepped(everyStepFlow, second); err != nil {
		t.Error(err)
	}
	close(goOn)
	if err := <-ended; !errors.Is(err, connectors.ErrSuperseded) {
		t.Errorf("the former owner ended with %v", err)
	}
	if err := w.drainStepped(everyStepFlow, &steps{}); err != nil {
		t.Error(err)
	}
	return w.rowIDs("V1", "dead.orders")
}

func (w *world) incarnation(stream string) connectors.Incarnation {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	return connectors.Incarnation{Stream: stream, Created: s.CachedInfo().Created.UnixNano()}
}

func (w *world) stored(stream string, sequence uint64) int64 {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := s.GetMsg(w.t.Context(), sequence)
	if err != nil {
		w.t.Fatal(err)
	}
	return m.Time.UnixNano()
}

func TestFormerOwnerCommitsNothing(t *testing.T) {
	t.Parallel()
	if ids := ownersOf(t, &steps{}, &steps{}); !slices.Equal(ids, allButPoison()) {
		t.Errorf("V1 holds %v", ids)
	}
}

// What the test before it would find if the marker were not compared, and if a new
// owner went on where the consumer stands.
func TestFormerOwnerWithoutTheGuards(t *testing.T) {
	t.Parallel()
	uncompared := &steps{commit: func(ctx context.Context, t connectors.Transaction, place int) {
		_, _ = t.Marker(ctx, place) // from now on the newest marker is the expected one
	}}
	if ids := ownersOf(t, uncompared, &steps{}); len(ids) <= len(allButPoison()) {
		t.Errorf("without compare-and-set nothing is doubled: V1 holds %v", ids)
	}
	unreset := &steps{seek: func(from []connectors.Position) []connectors.Position { return from }}
	if ids := ownersOf(t, &steps{}, unreset); len(ids) >= len(allButPoison()) {
		t.Errorf("without a reset nothing is lost: V1 holds %v", ids)
	}
}

func TestTwoWorkersThatTakeOverFromEachOther(t *testing.T) {
	w := everyStep(t)
	for round := 0; ; round++ {
		if round > 40 {
			t.Fatal("they make no progress")
		}
		first, second := w.workerUntil(round%5+1), w.workerUntil(round%3+1)
		errs := []error{<-first, <-second}
		for _, err := range errs {
			if err != nil && !errors.Is(err, connectors.ErrSuperseded) && !errors.Is(err, errExit) {
				t.Fatal(err)
			}
		}
		if slices.Contains(errs, nil) {
			break
		}
	}
	if err := w.drainStepped(everyStepFlow, &steps{}); err != nil {
		t.Fatal(err)
	}
	w.checkEveryStep("two workers")
}

var errExit = errors.New("exits")

// workerUntil runs a worker that exits after so many of its epochs are committed.
func (w *world) workerUntil(commits int) <-chan error {
	ctx, exit := context.WithCancelCause(w.t.Context())
	s := &steps{}
	s.at = func(step string) error {
		if step == "after commit V1" {
			if commits--; commits == 0 {
				exit(errExit)
			}
		}
		return ctx.Err()
	}
	done := make(chan error, 1)
	flow := w.steppedPlan(everyStepFlow, s)
	go func() {
		bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		_, err := exec.Run(bounded, flow, exec.Options{UntilCaughtUp: true, Replace: true})
		done <- err
	}()
	return done
}

// The former owner's batch is refused from the new one's start on, before that has read
// or written a row: what the former has in hand may have gaps since the reader was moved.
func TestFormerOwnerIsFencedByTheStartAlone(t *testing.T) {
	t.Parallel()
	w := everyStep(t)
	reached, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	var once sync.Once
	former := &steps{at: func(step string) error {
		if step == "before commit V2" {
			once.Do(func() { close(reached); <-goOn })
		}
		return nil
	}}
	go func() { ended <- w.drainStepped(everyStepFlow, former) }()
	<-reached
	var fenced sync.Once
	now := &steps{at: func(step string) error {
		if step == "after seek" {
			fenced.Do(func() {
				close(goOn)
				if err := <-ended; !errors.Is(err, connectors.ErrSuperseded) {
					t.Errorf("the former owner ended with %v", err)
				}
				for _, stream := range []string{"V1", "V2"} {
					if ids := w.rowIDs(stream); len(ids) > 0 {
						t.Errorf("the former owner wrote %v into %s", ids, stream)
					}
				}
			})
		}
		return nil
	}}
	if err := w.drainStepped(everyStepFlow, now); err != nil {
		t.Fatal(err)
	}
	w.checkEveryStep("after the former owner")
}
