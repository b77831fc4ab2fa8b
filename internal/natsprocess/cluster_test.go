package natsprocess_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/nats-io/nats.go/jetstream"
)

// TestClusterOutlivesANode kills and restarts the leader of a stream, which keeps
// what it holds and goes on.
func TestClusterOutlivesANode(t *testing.T) {
	c := natsprocess.StartCluster(t)
	js := connect(t, c.URL())
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s"}, Replicas: 3}); err != nil {
		t.Fatal(err)
	}
	leader := publish(t, c, 1)
	c.Node(leader).Kill()
	if next := publish(t, c, 2); next == leader {
		t.Fatalf("the node %s has ended, and leads", leader)
	}
	c.Node(leader).Restart()
	c.AwaitReady()
	c.MoveMetaLeader()
	publish(t, c, 3)
}

// publish makes sure that message n of S is there once, and tells who leads S then.
func publish(t *testing.T, c *natsprocess.Cluster, n uint64) string {
	t.Helper()
	js := connect(t, c.URL())
	deadline := time.Now().Add(20 * time.Second)
	for {
		ack, err := js.Publish(t.Context(), "s", nil, jetstream.WithMsgID(strconv.FormatUint(n, 10)))
		if err == nil && ack.Sequence == n {
			break
		}
		if err == nil || time.Now().After(deadline) {
			t.Fatalf("expected message %d, found %+v, %v", n, ack, err)
		}
	}
	for {
		s, err := js.Stream(t.Context(), "S")
		if err == nil && s.CachedInfo().Cluster.Leader != "" {
			return s.CachedInfo().Cluster.Leader
		}
		if time.Now().After(deadline) {
			t.Fatalf("nobody leads the stream: %v", err)
		}
	}
}
