package exec_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// TestExactlyOnceThroughKilledServers kills a server of one replica, which writes a
// batch into its stream message by message, again and again while a flow writes.
func TestExactlyOnceThroughKilledServers(t *testing.T) {
	t.Parallel()
	kills, records := 2, 3000
	if os.Getenv("FLOW_DRILL") != "" {
		kills, records = 40, 40_000
	}
	w := newKillable(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	for i := range records {
		if _, err := w.js.PublishAsync("orders.a", fmt.Appendf(nil, `{"id":%d}`, i+1)); err != nil {
			t.Fatal(err)
		}
	}
	<-w.js.PublishAsyncComplete()
	r := w.start(`from nats "orders.>" ack_wait 2s epoch 100/200ms to nats stream "V1" subject "v1.orders" exactly once`)
	for kill := range kills {
		written := records * (kill + 1) / (kills + 2)
		eventually(t, fmt.Sprintf("sequence %d is written before kill %d", written, kill+1), func() bool { return w.lastIn("V1") >= uint64(written) })
		w.process.Kill()
		w.process.Restart()
	}
	eventually(t, "everything is written", func() bool { return w.lastIn("V1") > uint64(records) })
	r.finish(t)
	if err := w.drainStepped(`from nats "orders.>" epoch 100/200ms to nats stream "V1" subject "v1.orders" exactly once`, &steps{}); err != nil {
		t.Fatal(err)
	}
	if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(records)) {
		t.Errorf("V1 holds %d rows, and not each once in its order", len(ids))
	}
	checkChain(t, w.records())
	t.Logf("%d kills, %d records, %d epochs", kills, records, len(w.records()))
}

// lastIn is the last sequence of a stream; 0 while it cannot be asked.
func (w *world) lastIn(stream string) uint64 {
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		return 0
	}
	return s.CachedInfo().State.LastSeq
}
