package exec_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	"github.com/nats-io/nats.go/jetstream"
)

const chained = `
	flow second from nats "mid.>" epoch 10/100ms select { id } to nats stream "LAST" subject "last.v1"
	flow first from nats "orders.>" epoch 10/100ms to nats stream "MID" subject "mid.v1"`

// compile plans several flows.
func (w *world) compile(text string) (*planner.Plan, lang.Diagnostics) {
	w.t.Helper()
	file, found := lang.Parse(&lang.Source{Name: "several.flow", Text: text})
	if found.HasErrors() {
		w.t.Fatal(found)
	}
	return planner.Compile([]*lang.File{file}, planner.Options{
		Kinds:    []connectors.Kind{nats.Kind()},
		Defaults: map[string]connectors.Settings{"nats": {"url": []string{w.server.URL()}}},
	})
}

func TestFedFlowEndsLast(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publishIDs(1, 55)
	plan, found := w.compile(chained)
	if found.HasErrors() {
		t.Fatal(found)
	}
	results := exec.RunAll(t.Context(), plan, func(*planner.Flow) exec.Options { return exec.Options{UntilCaughtUp: true} }, func(exec.Result) {})
	for _, r := range results {
		if r.Err != nil || r.Totals.Read != 55 {
			t.Errorf("%s read %d: %v", r.Flow.Flow, r.Totals.Read, r.Err)
		}
	}
	if results[0].Flow.Flow != "first" {
		t.Errorf("the plan begins with %s", results[0].Flow.Flow)
	}
	if ids := w.ids("LAST"); !slices.Equal(ids, upTo(55)) {
		t.Errorf("LAST holds %v", ids)
	}
}

func TestFedFlowWaitsForItsSource(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	plan, found := w.compile(chained)
	if found.HasErrors() {
		t.Fatal(found)
	}
	stop, done := make(chan struct{}), make(chan []exec.Result, 1)
	go func() {
		done <- exec.RunAll(context.Background(), plan, func(*planner.Flow) exec.Options { return exec.Options{Stop: stop} }, func(exec.Result) {})
	}()
	w.publishIDs(1, 3)
	eventually(t, "the second flow has written", func() bool {
		s, err := w.js.Stream(t.Context(), "LAST")
		return err == nil && s.CachedInfo().State.Msgs == 3
	})
	close(stop)
	select {
	case results := <-done:
		for _, r := range results {
			if r.Err != nil {
				t.Error(r.Err)
			}
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the run does not stop")
	}
}

func TestFailedFlowLeavesTheOthers(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>", "bills.>"}})
	w.publish("orders.a", `{"id":1}`, `{"id":"two"}`)
	w.publish("bills.a", `{"id":1}`)
	plan, found := w.compile(`
		flow bad from nats "orders.>" to nats stream "A" subject "a.v1"
		flow good from nats "bills.>" to nats stream "B" subject "b.v1"`)
	if found.HasErrors() {
		t.Fatal(found)
	}
	results := exec.RunAll(t.Context(), plan, func(*planner.Flow) exec.Options { return exec.Options{UntilCaughtUp: true} }, func(exec.Result) {})
	if results[0].Err == nil || results[1].Err != nil {
		t.Errorf("ended with %v and %v", results[0].Err, results[1].Err)
	}
	if ids := w.ids("B"); !slices.Equal(ids, []int{1}) {
		t.Errorf("B holds %v", ids)
	}
}

func TestFlowsThatFeedEachOther(t *testing.T) {
	w := newWorld(t)
	for _, text := range []string{
		`flow a from nats "x.>" to nats stream "Y" subject "y.v1" flow b from nats "y.>" to nats stream "X2" subject "x.v2"`,
		`flow a from nats "x.>" to nats stream "Y" subject "y.v1" flow b from nats "y.>" to nats stream "Z" subject "z.v1" flow c from nats "z.>" to nats stream "X2" subject "x.v2"`,
	} {
		_, found := w.compile(text)
		if !found.HasErrors() || !strings.Contains(found.Error(), "feed each other") {
			t.Errorf("%s: %v", text, found)
		}
	}
}
