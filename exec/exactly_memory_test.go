package exec_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/memory"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// inMemory is everyStepFlow over streams in memory.
const inMemory = `from memory "orders" schema { id: int } epoch 7/20ms
	to memory stream "one" exactly once
	to memory stream "two" exactly once
	on error retry 20 backoff 1ms..5ms then dead letter to memory stream "one"`

// ordersInMemory is a broker with 30 messages for that flow, one of them poison.
func ordersInMemory(t *testing.T) *memory.Broker {
	t.Helper()
	b := memory.New()
	for id := range 30 {
		body := fmt.Sprintf(`{"id":%d}`, id+1)
		if id+1 == poisonID {
			body = `{"id":"poison"}`
		}
		if _, err := b.Publish("orders", memory.Message{Data: []byte(body)}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// runInMemory runs the flow until it is caught up.
func runInMemory(ctx context.Context, t *testing.T, b *memory.Broker, s *steps) error {
	t.Helper()
	file, found := lang.Parse(&lang.Source{Name: "orders.flow", Text: inMemory})
	plan, more := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{s.within(b.Kind())}})
	if found = append(found, more...); found.HasErrors() {
		t.Fatal(found)
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	_, err := exec.Run(ctx, plan.Flows[0], exec.Options{UntilCaughtUp: true, Replace: true})
	return err
}

// checkInMemory checks that each row is in both streams once, in order, and that the
// poison is among the first one's once.
func checkInMemory(t *testing.T, b *memory.Broker, what string) {
	t.Helper()
	for _, stream := range []string{"one", "two"} {
		var want, got []string
		for _, id := range allButPoison() {
			want = append(want, fmt.Sprintf(`{"id":%d}`, id))
		}
		dead := 0
		for _, m := range b.Stored(stream) {
			if m.Headers["Flow-Error"] != nil {
				dead++
				continue
			}
			got = append(got, string(m.Data))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: stream %s holds %q", what, stream, got)
		}
		if wanted := map[string]int{"one": 1}[stream]; dead != wanted {
			t.Errorf("%s: stream %s holds %d dead letters, expected %d", what, stream, dead, wanted)
		}
	}
}

// stepsInMemory are those that a run of the flow meets.
func stepsInMemory(t *testing.T) []string {
	t.Helper()
	b, s := ordersInMemory(t), &steps{}
	if err := runInMemory(t.Context(), t, b, s); err != nil {
		t.Fatal(err)
	}
	checkInMemory(t, b, "undisturbed")
	for _, wanted := range []string{"before mark one", "after commit two", "before commit one", "after commit one", "before append epoch", "before ack", "after seek"} {
		if !slices.Contains(s.seen, wanted) {
			t.Fatalf("the run did not meet %q, but %q", wanted, s.seen)
		}
	}
	return s.seen
}

// TestExactlyOnceInMemory disturbs runs at each step, early and late, and runs the flow
// again where it did not go on by itself.
func TestExactlyOnceInMemory(t *testing.T) {
	for what, fail := range map[string]func(exit func()) error{
		"killed": func(exit func()) error { exit(); return context.Canceled },
		"lost":   func(func()) error { return connectors.Errorf(connectors.Transient, "the answer is lost") },
	} {
		for _, step := range stepsInMemory(t) {
			for times := range int32(3) {
				what := fmt.Sprintf("%s at %q, time %d", what, step, times)
				b := ordersInMemory(t)
				ctx, exit := context.WithCancel(t.Context())
				failed := false
				err := runInMemory(ctx, t, b, &steps{at: nth(step, times, func() error {
					failed = true
					return fail(exit)
				})})
				if times == 0 && !failed {
					t.Errorf("%s: it did not happen", what)
				}
				if killed := ctx.Err() != nil; killed && err == nil {
					t.Errorf("%s: the run was not cut", what)
				}
				exit()
				if err != nil { // it was killed, or failed before it had begun
					if err := runInMemory(t.Context(), t, b, &steps{}); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
				checkInMemory(t, b, what)
			}
		}
	}
}

// nth is steps.at for one that fails at one time, counted from 0.
func nth(step string, times int32, fail func() error) func(string) error {
	var met atomic.Int32
	return func(name string) error {
		if name == step && met.Add(1) == times+1 {
			return fail()
		}
		return nil
	}
}
