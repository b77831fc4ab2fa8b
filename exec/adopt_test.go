package exec_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	oldFlow = `flow old from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1"`
	newFlow = `flow new from nats "orders.>" epoch 10/200ms where id != 0 to nats stream "OUT" subject "out.v1"`
)

// refused expects a refusal with that text.
func refused(t *testing.T, err error, text string) {
	t.Helper()
	if connectors.ClassOf(err) != connectors.Refused || !strings.Contains(err.Error(), text) {
		t.Errorf("expected a refusal with %q, found %v", text, err)
	}
}

func TestANewNameIsNoNewFlow(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1,"note":null}`)
	if _, err := w.drain(oldFlow); err != nil {
		t.Fatal(err)
	}
	entries := len(w.messages("FLOW_LEDGER"))
	_, err := w.drain(newFlow)
	refused(t, err, "flow old, which has, up to epoch 1, reads and writes the same")
	_, err = w.drainAs(newFlow, exec.Options{Adopt: "odl"})
	refused(t, err, "there is no flow odl")
	if n := len(w.messages("FLOW_LEDGER")); n != entries {
		t.Errorf("a refused flow wrote into the ledger")
	}
	w.publish("orders.a", `{"id":2,"note":"x"}`)
	totals, err := w.drainAs(newFlow, exec.Options{Adopt: "old"})
	if err != nil || totals.Read != 1 {
		t.Fatalf("the adopted flow read %d: %v", totals.Read, err)
	}
	// The schema went along: the open column of the first message has its type now.
	w.publish("orders.a", `{"id":3,"note":4}`)
	if _, err := w.drain(newFlow); err == nil || !strings.Contains(err.Error(), "field note") {
		t.Errorf("the schema was not adopted: %v", err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(2)) {
		t.Errorf("OUT holds %v", ids)
	}
	if _, err := w.js.Consumer(t.Context(), "ORDERS", "flow-default-old"); err == nil {
		t.Error("the consumer of the adopted flow is still there")
	}
	_, err = w.drain(oldFlow)
	refused(t, err, "goes on as flow new")
	_, err = w.drainAs(newFlow, exec.Options{Fresh: true})
	refused(t, err, "--fresh is for a name that has not run yet")
	_, err = w.drainAs(newFlow, exec.Options{Adopt: "other"})
	refused(t, err, "--adopt other is for a name that has not run yet")
}

func TestAnAdoptionCanBeRepeatedAndTakenBack(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 2)
	for i, step := range []struct{ text, adopt string }{{oldFlow, ""}, {newFlow, "old"}, {newFlow, "old"}, {oldFlow, "new"}} {
		w.publishIDs(3+i, 3+i)
		if _, err := w.drainAs(step.text, exec.Options{Adopt: step.adopt}); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(6)) {
		t.Errorf("OUT holds %v", ids)
	}
	_, err := w.drain(newFlow)
	refused(t, err, "goes on as flow old")
	if totals, err := w.drainAs(newFlow, exec.Options{Fresh: true}); err != nil || totals.Read != 6 {
		t.Errorf("begun anew it read %d: %v", totals.Read, err)
	}
}

// A work queue has room for one consumer, and an interest stream keeps what the last
// one has not read.
func TestAdoptionLosesNothing(t *testing.T) {
	for _, retention := range []jetstream.RetentionPolicy{jetstream.WorkQueuePolicy, jetstream.InterestPolicy} {
		w := newWorld(t)
		w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}, Retention: retention})
		w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
		if _, err := w.drain(oldFlow); err != nil { // makes the consumer
			t.Fatal(err)
		}
		w.publishIDs(1, 5)
		if _, err := w.drain(oldFlow); err != nil {
			t.Fatal(err)
		}
		w.publishIDs(6, 9)
		if totals, err := w.drainAs(newFlow, exec.Options{Adopt: "old"}); err != nil || totals.Read != 4 {
			t.Errorf("%s: read %d: %v", retention, totals.Read, err)
		}
		if ids := w.ids("OUT"); !slices.Equal(ids, upTo(9)) {
			t.Errorf("%s: OUT holds %v", retention, ids)
		}
	}
}

func TestAFlowThatRunsIsAdoptedOnlyIfItIsReplaced(t *testing.T) {
	exec.AsIfElsewhere(t)
	w := newWorld(t)
	w.plain()
	owner := w.start(oldFlow)
	owner.becomes(t, "the old flow is admitted", exec.Admitted)
	w.publishIDs(1, 3)
	eventually(t, "it writes", func() bool { return len(w.messages("OUT")) == 3 })
	_, err := w.drainAs(newFlow, exec.Options{Adopt: "old"})
	refused(t, err, "flow old is run by process")
	if owner.ended() {
		t.Fatalf("the refused adoption stopped the flow: %v", owner.err)
	}
	w.publishIDs(4, 5)
	if _, err := w.drainAs(newFlow, exec.Options{Adopt: "old", Replace: true}); err != nil {
		t.Error(err)
	}
	eventually(t, "the old flow stops", owner.ended)
	if owner.err == nil || !strings.Contains(owner.err.Error(), "continues the flow as new") {
		t.Errorf("the old flow ended with %v", owner.err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(5)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestALocalLedgerKnowsOldNames(t *testing.T) {
	w := newWorld(t)
	w.plain()
	directory := localLedger(t)
	w.publishIDs(1, 3)
	if _, err := w.drainAs(oldFlow, exec.Options{Ledger: directory.OpenLedger}); err != nil {
		t.Fatal(err)
	}
	_, err := w.drainAs(newFlow, exec.Options{Ledger: directory.OpenLedger})
	refused(t, err, "reads and writes the same")
	w.publishIDs(4, 4)
	if totals, err := w.drainAs(newFlow, exec.Options{Ledger: directory.OpenLedger, Adopt: "old"}); err != nil || totals.Read != 1 {
		t.Errorf("read %d: %v", totals.Read, err)
	}
}

// lostOnce is a ledger whose newest record is not answered at the first try.
type lostOnce struct {
	connectors.Ledger
	asked *atomic.Bool
}

func (l lostOnce) Last(ctx context.Context, chain string) (connectors.Entry, error) {
	if chain == "epoch" && !l.asked.Swap(true) {
		return connectors.Entry{}, connectors.Errorf(connectors.Transient, "a time-out")
	}
	return l.Ledger.Last(ctx, chain)
}

// TestALostAnswerHidesNoOldName asks again for the record of the flow that does the same.
func TestALostAnswerHidesNoOldName(t *testing.T) {
	w := newWorld(t)
	w.plain()
	directory := localLedger(t)
	w.publishIDs(1, 3)
	if _, err := w.drainAs(oldFlow, exec.Options{Ledger: directory.OpenLedger}); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Bool
	_, err := w.drainAs(newFlow, exec.Options{Ledger: func(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
		l, err := directory.OpenLedger(ctx, flow)
		if err == nil && flow.Flow == "old" {
			l = lostOnce{l, &asked}
		}
		return l, err
	}})
	if err == nil || !asked.Load() {
		t.Errorf("the flow began anew beside the old one: %v", err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(3)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestAStreamThatComesToMatchIsNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "A", Subjects: []string{"orders.a"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	w.publish("orders.a", `{"id":1}`)
	r := w.start(plainFlow)
	r.becomes(t, "it is admitted", exec.Admitted)
	w.stream(jetstream.StreamConfig{Name: "B", Subjects: []string{"orders.b"}})
	w.publish("orders.b", `{"id":2}`)
	reported := func() (n int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, notice := range r.notices {
			if strings.Contains(notice.Text, "has come to match") && slices.Contains(notice.Attributes, any("B")) {
				n++
			}
		}
		return n
	}
	eventually(t, "the new stream is reported", func() bool { return reported() == 1 })
	r.finish(t)
	if _, err := w.drain(plainFlow); err != nil {
		t.Error(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(1)) {
		t.Errorf("OUT holds %v", ids)
	}
	if _, err := w.drainAs(plainFlow, exec.Options{AdoptStreams: true}); err != nil {
		t.Error(err)
	}
	// Once adopted it is one of the flow's.
	w.publish("orders.b", `{"id":3}`)
	if _, err := w.drain(plainFlow); err != nil {
		t.Error(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(3)) {
		t.Errorf("OUT holds %v", ids)
	}
	// A flow whose sources are changed reads all that they match.
	w.stream(jetstream.StreamConfig{Name: "C", Subjects: []string{"stock.c"}})
	w.publish("stock.c", `{"id":4}`)
	if _, err := w.drain(`flow orders from nats "orders.>", nats "stock.>" epoch 1000/200ms to nats stream "OUT" subject "out.v1"`); err != nil {
		t.Error(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(4)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestAnotherStreamIsNotReadInPlaceOfOneThatIsGone(t *testing.T) {
	w := newWorld(t)
	w.plain()
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	if err := w.js.DeleteStream(t.Context(), "ORDERS"); err != nil {
		t.Fatal(err)
	}
	w.stream(jetstream.StreamConfig{Name: "ORDERS2", Subjects: []string{"orders.>"}})
	_, err := w.drain(plainFlow)
	if connectors.ClassOf(err) != connectors.Environment || !strings.Contains(err.Error(), "reads ORDERS, which is gone; what matches now is ORDERS2") {
		t.Errorf("ended with %v", err)
	}
	if _, err := w.drainAs(plainFlow, exec.Options{AdoptStreams: true}); err != nil {
		t.Error(err)
	}
}

// What a newer flowc wrote is left alone, by a first run of a new name too.
func TestWhatANewerProgramWroteIsLeftAlone(t *testing.T) {
	for _, chain := range []string{"spec", "epoch"} {
		w := newWorld(t)
		w.plain()
		w.publishIDs(1, 3)
		if _, err := w.drain(plainFlow); err != nil {
			t.Fatal(err)
		}
		w.publish("flow.ledger.default.orders."+chain, `{"format":99}`)
		entries, before := len(w.messages("FLOW_LEDGER")), w.consumer("ORDERS")
		w.publishIDs(4, 4)
		for _, options := range []exec.Options{{}, {Replace: true}, {AdoptStreams: true}} {
			_, err := w.drainAs(changedFlow, options)
			if connectors.ClassOf(err) != connectors.Environment || !strings.Contains(err.Error(), "it has format 99") {
				t.Errorf("%s: ended with %v", chain, err)
			}
		}
		if n := len(w.messages("FLOW_LEDGER")); n != entries {
			t.Errorf("%s: the ledger went from %d to %d entries", chain, entries, n)
		}
		if now := w.consumer("ORDERS"); now.Delivered.Consumer != before.Delivered.Consumer || len(w.messages("OUT")) != 3 {
			t.Errorf("%s: the flow was read on", chain)
		}
	}
}

func TestTheFirstRunSaysWhatItMakes(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publishIDs(1, 3)
	for run, want := range []int{1, 0} {
		var announced []exec.Event
		_, err := w.drainAs(plainFlow, exec.Options{OnEvent: func(e exec.Event) {
			if e.Kind != exec.Announced {
				return
			}
			announced = append(announced, e)
			if _, err := w.js.Stream(t.Context(), "FLOW_LEDGER"); err == nil {
				t.Error("the ledger is there before it was announced")
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(announced) != want {
			t.Fatalf("run %d: announced %+v", run, announced)
		}
		if run > 0 {
			continue
		}
		all := strings.Join(announced[0].Lines, "\n")
		for _, part := range []string{"makes the ledger", "consumer flow-default-orders on stream ORDERS", "reads 3 messages of stream ORDERS", "makes stream OUT"} {
			if !strings.Contains(all, part) {
				t.Errorf("%q is not in\n%s", part, all)
			}
		}
	}
}
