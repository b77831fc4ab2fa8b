package record_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/monitor/record"
)

// fill stores n messages of some 200 bytes.
func (w *world) fill(n int) {
	w.t.Helper()
	for i := range n {
		if _, err := w.js.PublishAsync("orders.a", fmt.Appendf(nil, `{"id":%d,"note":"%0180d"}`, i, i)); err != nil {
			w.t.Fatal(err)
		}
		if (i+1)%1000 > 0 && i+1 < n {
			continue
		}
		select {
		case <-w.js.PublishAsyncComplete():
		case <-time.After(20 * time.Second):
			w.t.Fatal("the server does not acknowledge")
		}
	}
}

// TestRecordingCostsLittle measures what the run pays, against its own time: the events
// that the recorder takes, while somebody looks again and again.
func TestRecordingCostsLittle(t *testing.T) {
	w := newWorld(t)
	w.fill(3_000)
	share := 1.0
	for try := 0; try < 3 && share > 0.01; try++ { // a busy machine may stop it anywhere
		flow := w.plan(fmt.Sprintf(`flow try%d from nats "orders.>" epoch 1000/200ms to nats stream "OUT" subject "out.v1"`, try))
		r := record.New(flow, record.About{})
		options := r.Attach(exec.Options{UntilCaughtUp: true})
		var paid time.Duration
		take := options.OnEvent
		options.OnEvent = func(e exec.Event) {
			began := time.Now()
			take(e)
			paid += time.Since(began)
		}
		done := make(chan struct{})
		looked := make(chan struct{})
		go func() {
			defer close(looked)
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-done:
					return
				case <-tick.C:
					r.Snapshot()
				}
			}
		}()
		began := time.Now()
		totals, err := exec.Run(t.Context(), flow, options)
		took := time.Since(began)
		close(done)
		<-looked
		if err != nil || totals.Written != 3_000 {
			t.Fatalf("found %+v, %v", totals, err)
		}
		share = min(share, paid.Seconds()/took.Seconds())
	}
	if share > 0.01 {
		t.Errorf("recording takes %.2f %% of the run's time", 100*share)
	}
	t.Logf("recording takes %.3f %% of the run's time", 100*share)
}

// BenchmarkEpoch is what a run pays for each epoch, whatever that holds.
func BenchmarkEpoch(b *testing.B) {
	w := newWorld(b)
	flow := w.plan(`from nats "orders.>" to nats stream "OUT" subject "out.v1"`)
	take := record.New(flow, record.About{}).Attach(exec.Options{}).OnEvent
	done := exec.Done{Messages: make([]connectors.Message, 1000), Counts: []exec.Counts{{Read: 1000}},
		Ranges: []connectors.Range{{Stream: "ORDERS"}}, Receipts: []connectors.Receipt{{Resource: flow.Resources()[0], Stream: "OUT", Rows: 1000}}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		take(exec.Event{Kind: exec.Certified, Epoch: uint64(i), Done: &done})
	}
}

// BenchmarkSnapshot is what a look costs, beside the run.
func BenchmarkSnapshot(b *testing.B) {
	w := newWorld(b)
	w.fill(10_000)
	flow := w.plan(`from nats "orders.>" epoch 100/200ms to nats stream "OUT" subject "out.v1"`)
	r := record.New(flow, record.About{})
	if _, err := exec.Run(b.Context(), flow, r.Attach(exec.Options{UntilCaughtUp: true})); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Snapshot()
	}
}
