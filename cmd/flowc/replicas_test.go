package main

import (
	"testing"

	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/nats-io/nats.go/jetstream"
)

// TestFewerReplicasAreAWarning has a source that outlives a server and a destination
// that does not. Where it is clustered, the ledger does.
func TestFewerReplicasAreAWarning(t *testing.T) {
	if drill(true, false) {
		t.Skip("a cluster takes its time: make drill")
	}
	cluster := natsprocess.StartCluster(t)
	w := connect(t, cluster.URL())
	if _, err := w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	w.publish(20)
	file := w.flow("100/50ms")
	p := start(t, "run", "--server", cluster.URL(), "--until", "caught-up", file)
	p.ends(statusDone, bound)
	p.says(`msg="the destination has fewer replicas than the source: what was acknowledged could be lost with one server" flow=orders stream=OUT replicas=1 source=3 made=true`)
	ledger, err := w.js.Stream(t.Context(), "FLOW_LEDGER")
	if err != nil || ledger.CachedInfo().Config.Replicas != 3 {
		t.Errorf("the ledger is %+v, %v", ledger, err)
	}
}
