package nats

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patience bounds what a test waits for and expects to happen soon.
const patience = 20 * time.Second

// eventually looks until a condition holds.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(patience)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for !condition() {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("expected within %s: %s", patience, what)
		}
	}
}

// startEmbedded starts an ordinary server for one test.
func startEmbedded(t testing.TB) string {
	t.Helper()
	s, err := embedded.Start("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s.URL()
}

// startServer starts a server with options of its own, and gives its URL.
func startServer(t testing.TB, change func(*server.Options)) string {
	t.Helper()
	return run(t, change).ClientURL()
}

// run is startServer for a test that needs the server.
func run(t testing.TB, change func(*server.Options)) *server.Server {
	t.Helper()
	options := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	change(options)
	s, err := server.NewServer(options)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server did not become ready")
	}
	return s
}

// complete is the settings of a role with the defaults of its fields.
func complete(fields connectors.Fields, given connectors.Settings) connectors.Settings {
	s := connectors.Settings{}
	maps.Copy(s, given)
	fields.Complete(s)
	return s
}

// notices collects what a connection reports.
type notices struct {
	mu  sync.Mutex
	all []string
}

func (n *notices) add(notice connectors.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, strings.TrimSpace(notice.Text+" "+fmt.Sprintln(notice.Attributes...)))
}

func (n *notices) holds(text string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.all, func(s string) bool { return strings.Contains(s, text) })
}

// link opens a connection of the connector, as a flow does.
func link(t testing.TB, url string, more connectors.Settings) (*connection, *notices) {
	t.Helper()
	given := connectors.Settings{"url": []string{url}}
	maps.Copy(given, more)
	said := &notices{}
	c, err := open(t.Context(), "main", complete(connectionFields, given), said.add)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, said
}

// client is a plain client beside the connector.
func client(t testing.TB, url string, options ...natsgo.Option) jetstream.JetStream {
	t.Helper()
	nc, err := natsgo.Connect(url, append(options, natsgo.MaxReconnects(-1), natsgo.ReconnectWait(20*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// someOrders is a link to a server with a stream ORDERS on orders.> that holds n
// messages on orders.x, what the link reports, and a client beside it.
func someOrders(t testing.TB, n int) (*connection, *notices, jetstream.JetStream) {
	t.Helper()
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, n, "orders.x")
	c, said := link(t, url, nil)
	return c, said, js
}

func makeStream(t testing.TB, js jetstream.JetStream, config jetstream.StreamConfig) jetstream.Stream {
	t.Helper()
	s, err := js.CreateStream(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fill publishes n messages, {"n":1} and on, in turn to the subjects.
func fill(t testing.TB, js jetstream.JetStream, n int, subjects ...string) {
	t.Helper()
	for i := range n {
		if _, err := js.Publish(t.Context(), subjects[i%len(subjects)], fmt.Appendf(nil, `{"n":%d}`, i+1)); err != nil {
			t.Fatal(err)
		}
	}
}

// mustStream is a stream that is there.
func mustStream(t testing.TB, js jetstream.JetStream, name string) jetstream.Stream {
	t.Helper()
	s, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func state(t testing.TB, s jetstream.Stream) jetstream.StreamState {
	t.Helper()
	info, err := s.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return info.State
}

// someFlow is the flow of most tests.
var someFlow = connectors.Identity{Namespace: "default", Flow: "orders"}

func streamOn(name string, subjects ...string) jetstream.StreamConfig {
	return jetstream.StreamConfig{Name: name, Subjects: subjects}
}

// storedBodies is what a stream holds, by sequence.
func storedBodies(t testing.TB, js jetstream.JetStream, stream string) map[uint64][]byte {
	t.Helper()
	s := mustStream(t, js, stream)
	bodies := map[uint64][]byte{}
	at := state(t, s)
	for sequence := at.FirstSeq; sequence <= at.LastSeq; sequence++ {
		m, err := s.GetMsg(t.Context(), sequence)
		if err != nil {
			t.Fatal(err)
		}
		bodies[sequence] = m.Data
	}
	return bodies
}

func userInfo(name string) natsgo.Option { return natsgo.UserInfo(name, "p") }

// count is how many notices hold a text.
func (n *notices) count(text string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	found := 0
	for _, s := range n.all {
		if strings.Contains(s, text) {
			found++
		}
	}
	return found
}
