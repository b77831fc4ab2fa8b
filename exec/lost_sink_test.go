package exec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// TestIdleSinkIsOpenedAnewWithItsServer restarts the server under a flow that has
// nothing to write: the next epoch does not have to fail for that.
func TestIdleSinkIsOpenedAnewWithItsServer(t *testing.T) {
	for name, guarantee := range map[string]string{"plain": "", "exactly once": " exactly once"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newKillable(t)
			w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
			w.publishIDs(1, 5)
			r := w.start(`from nats "orders.>" epoch 1000/200ms to nats stream "V1" subject "v1.orders"` + guarantee)
			eventually(t, "the first epoch is certified", func() bool { return r.count(exec.Certified) == 1 })
			w.process.Kill()
			w.process.Restart()
			eventually(t, "reading goes on", func() bool { return r.count(exec.Recovered) > 0 })
			eventually(t, "the test is connected", w.nc.IsConnected)
			w.publishIDs(6, 10)
			eventually(t, "the second epoch is certified", func() bool { return r.count(exec.Certified) >= 2 })
			r.finish(t)
			for _, e := range r.events {
				if e.Kind == exec.Retrying && strings.Contains(e.Err.Error(), "the link to the destination was lost") {
					t.Errorf("epoch %d failed since its sink was not opened anew: %v", e.Epoch, e.Err)
				}
			}
			if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(10)) {
				t.Errorf("V1 holds %v", ids)
			}
		})
	}
}
