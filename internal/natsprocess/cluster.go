package natsprocess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// clusterSize is the least that keeps a quorum when one node is lost.
const clusterSize = 3

// Cluster is three NATS servers that keep streams together. Each of them may be
// killed, frozen and started again as a Server; they are named n1 to n3, and each
// has its name as a tag for the placement of streams.
type Cluster struct {
	Nodes []*Server

	t testing.TB
}

// StartCluster starts three servers with empty stores, waits until they hold
// streams of three replicas, and stops them when the test ends. More is added to
// the cluster's part of their configuration.
func StartCluster(t testing.TB, more ...string) *Cluster {
	t.Helper()
	ports := freePorts(t, 2*clusterSize)
	listens, routes := ports[:clusterSize], ports[clusterSize:]
	c := &Cluster{t: t}
	for i := range clusterSize {
		c.Nodes = append(c.Nodes, launchNew(t, "nats://127.0.0.1:"+strconv.Itoa(listens[i]), nodeConfig(i, routes, more)))
	}
	for _, s := range c.Nodes {
		s.awaitPort()
	}
	c.AwaitReady()
	return c
}

// nodeConfig is the configuration of node i. Its lame duck mode is as short as the
// server allows, and an account of its own may move leaders.
func nodeConfig(i int, routes []int, more []string) string {
	urls := make([]string, len(routes))
	for at, port := range routes {
		urls[at] = fmt.Sprintf("nats://127.0.0.1:%d", port)
	}
	return fmt.Sprintf(`server_name: n%[1]d
server_tags: [n%[1]d]
cluster { name: flow, listen: "127.0.0.1:%[2]d", routes: [%[3]s], %[4]s }
lame_duck_duration: 30s
lame_duck_grace_period: 500ms
accounts {
  SYSTEM { users: [{user: system, password: system}] }
  APP { jetstream: enabled, users: [{user: app, password: app}] }
}
system_account: SYSTEM
no_auth_user: app
`, i+1, routes[i], strings.Join(urls, ", "), strings.Join(more, ", "))
}

// freePorts are ports that nothing listens on. They lie below those that the kernel
// gives to connections, which would take one while its server is down.
func freePorts(t testing.TB, n int) []int {
	t.Helper()
	var ports []int
	for range 1000 {
		port := 20_000 + rand.IntN(12_000)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		defer func() { _ = listener.Close() }() // held until all are found, so that each is found once
		if ports = append(ports, port); len(ports) == n {
			return ports
		}
	}
	t.Fatalf("no %d free ports", n)
	return nil
}

// URL names all nodes.
func (c *Cluster) URL() string {
	urls := make([]string, len(c.Nodes))
	for i, s := range c.Nodes {
		urls[i] = s.URL()
	}
	return strings.Join(urls, ",")
}

// AwaitReady waits until a stream of three replicas can be made, for which the
// nodes need a leader and each other.
func (c *Cluster) AwaitReady() {
	c.t.Helper()
	nc, err := natsgo.Connect(c.URL(), natsgo.MaxReconnects(-1), natsgo.ReconnectWait(pollInterval))
	if err != nil {
		c.t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	for {
		err := probe(ctx, js)
		if err == nil {
			return
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			c.t.Fatalf("the cluster is not ready within %s: %v", readyTimeout, err)
		}
	}
}

// probe makes a stream of three replicas, and takes it away again.
func probe(ctx context.Context, js jetstream.JetStream) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "PROBE", Subjects: []string{"probe"}, Replicas: clusterSize, Storage: jetstream.MemoryStorage})
	if err != nil {
		return err
	}
	if cluster := s.CachedInfo().Cluster; cluster == nil || len(cluster.Replicas) != clusterSize-1 {
		return errors.New("the stream has no replicas")
	}
	if _, err := js.Publish(ctx, "probe", nil); err != nil {
		return err
	}
	return js.DeleteStream(ctx, "PROBE")
}

// Node is the node of a name, as the server tells a leader's.
func (c *Cluster) Node(name string) *Server {
	c.t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(name, "n"))
	if err != nil || n < 1 || n > len(c.Nodes) {
		c.t.Fatalf("expected the name of a node, found %q", name)
	}
	return c.Nodes[n-1]
}

// MoveMetaLeader makes the leader that places streams and consumers step down.
func (c *Cluster) MoveMetaLeader() {
	c.t.Helper()
	nc, err := natsgo.Connect(c.URL(), natsgo.UserInfo("system", "system"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer nc.Close()
	reply, err := nc.Request("$JS.API.META.LEADER.STEPDOWN", nil, readyTimeout)
	if err != nil {
		c.t.Fatalf("moving the meta leader: %v", err)
	}
	var answer struct {
		Success bool `json:"success"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil || !answer.Success {
		c.t.Fatalf("moving the meta leader: %s, %v", reply.Data, err)
	}
}
