package nats

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/internal/natsprocess"
)

// Two owners commit at once, while the stream's leader has no quorum: one batch is under
// way, and the other is refused because of it, before any marker has changed.
func TestACommitBesideOneThatIsUnderWay(t *testing.T) {
	if os.Getenv("FLOW_DRILL") == "" {
		t.Skip("a cluster takes its time: make drill")
	}
	cluster := natsprocess.StartCluster(t)
	js := client(t, cluster.URL())
	config := batchStream("V1")
	config.Replicas = 3
	makeStream(t, js, config)
	leader := mustStream(t, js, "V1").CachedInfo().Cluster.Leader
	c, _ := link(t, cluster.Node(leader).URL(), nil)
	spec := onceTo("V1", "v1.<resource>", connectors.Settings{"publish_timeout": 20 * time.Second})
	owners := []*transaction{marked(t, openTransaction(t, c, spec)), openTransaction(t, c, spec)}
	if marker, err := owners[1].Marker(t.Context(), 0); err != nil || marker.Sequence != 1 {
		t.Fatal(marker, err)
	}
	for _, tx := range owners {
		prepareAll(t, tx, numbered(t, 1, 5))
	}
	for _, node := range cluster.Nodes {
		if node != cluster.Node(leader) {
			node.Freeze()
			defer node.Thaw()
		}
	}
	commit := func(tx *transaction) <-chan error {
		done := make(chan error, 1)
		go func() {
			_, _, err := tx.Commit(t.Context(), sealed(0))
			done <- err
		}()
		return done
	}
	first, second := commit(owners[0]), commit(owners[1])
	var refused error
	underWay := first
	select {
	case refused = <-first:
		underWay = second
	case refused = <-second:
	case <-time.After(patience):
		t.Fatal("neither commit was refused")
	}
	if !errors.Is(refused, connectors.ErrInterrupted) || !strings.Contains(refused.Error(), "10164") {
		t.Errorf("the refused commit ended with %v", refused)
	}
	for _, node := range cluster.Nodes {
		if node != cluster.Node(leader) {
			node.Thaw()
		}
	}
	if err := soon(t, "the commit that was under way", underWay); err != nil {
		t.Error(err)
	}
	if bodies := storedRows(t, js, "V1"); len(bodies) != 5 || len(slices.Compact(slices.Sorted(slices.Values(bodies)))) != 5 {
		t.Errorf("V1 holds %q", bodies)
	}
}
