package nats

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
)

func TestTheFirstServerThatAnswersIsTaken(t *testing.T) {
	dead, deadURL := startProxy(t, "nats://127.0.0.1:1")
	dead.close()
	alive := startEmbedded(t)
	s := complete(connectionFields, connectors.Settings{"url": []string{deadURL + "," + alive}})
	c, err := open(t.Context(), "main", s, func(connectors.Notice) {})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if got := c.String(); got != alive {
		t.Errorf("expected %s, found %s", alive, got)
	}
}

// cluster starts two servers without JetStream that tell their clients of each other.
func cluster(t *testing.T) [2]*server.Server {
	t.Helper()
	var all [2]*server.Server
	for i := range all {
		all[i] = run(t, func(o *server.Options) {
			o.JetStream, o.ServerName = false, fmt.Sprint("n", i)
			o.Cluster = server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: server.RANDOM_PORT}
			if i > 0 {
				o.Routes = []*url.URL{{Scheme: "nats", Host: all[0].ClusterAddr().String()}}
			}
		})
	}
	eventually(t, "the servers know each other", func() bool { return all[0].NumRoutes() > 0 && all[1].NumRoutes() > 0 })
	return all
}

// Only one server of the cluster was named; the other one is found once it is gone.
func TestServersThatTheClusterTellsOfAreUsed(t *testing.T) {
	all := cluster(t)
	said := &notices{}
	c := &connection{name: "main", report: said.add}
	nc, _, err := dialWithin(t.Context(), complete(connectionFields, connectors.Settings{"url": []string{all[0].ClientURL()}}), c.handlers()...)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	eventually(t, "the other server is known", func() bool { return len(nc.DiscoveredServers()) > 0 })
	all[0].Shutdown()
	eventually(t, "the other server is used", func() bool { return nc.IsConnected() && nc.ConnectedUrl() != all[0].ClientURL() })
}

// hosts collects which hosts were asked for, and allows those that are not refused.
type hosts struct {
	mu      sync.Mutex
	refused []string
	asked   []string
}

func (h *hosts) allow(host string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, host)
	if slices.Contains(h.refused, host) {
		return errors.New("it is not on the list")
	}
	return nil
}

func (h *hosts) wasAsked(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.asked, host)
}

func TestHostsAreAskedForBeforeTheyAreDialed(t *testing.T) {
	url := startEmbedded(t)
	guarded := func(h *hosts, given connectors.Settings) connectors.Settings {
		s := complete(connectionFields, given)
		s.RestrictHosts(h.allow)
		return s
	}
	byName := strings.Replace(url, "127.0.0.1", "localhost", 1)
	h := &hosts{refused: []string{"127.0.0.1"}}
	_, err := open(t.Context(), "main", guarded(h, connectors.Settings{"url": []string{url}}), func(connectors.Notice) {})
	check(t, "address", err, `the host "127.0.0.1" must not be dialed: it is not on the list`)
	if connectors.ClassOf(err) != connectors.Refused {
		t.Errorf("expected a refusal, found class %d", connectors.ClassOf(err))
	}
	checkRefusal(t, checkConnection(guarded(h, connectors.Settings{"url": []string{url}})), "url", `the host "127.0.0.1" must not be dialed`)
	c, err := open(t.Context(), "main", guarded(h, connectors.Settings{"url": []string{byName}}), func(connectors.Notice) {})
	if err != nil {
		t.Fatalf("expected a name to be asked for as it is, found %v", err)
	}
	defer c.Close()
	if !h.wasAsked("localhost") {
		t.Errorf("expected to be asked for localhost, found %q", h.asked)
	}
	// The links of sinks are restricted as well.
	before := len(h.asked)
	sink, err := c.OpenSink(t.Context(), someFlow, sinkSpec("OUT", "out.v1", []string{"orders"}, []string{"orders.>"}))
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	if len(h.asked) == before {
		t.Error("expected to be asked for the sink's link")
	}
}

// What a cluster tells of is asked for as well.
func TestHostsThatTheClusterTellsOfAreAskedFor(t *testing.T) {
	all := cluster(t)
	h := &hosts{refused: []string{"127.0.0.1"}}
	s := complete(connectionFields, connectors.Settings{"url": []string{strings.Replace(all[0].ClientURL(), "127.0.0.1", "localhost", 1)}})
	s.RestrictHosts(h.allow)
	nc, _, err := dialWithin(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	eventually(t, "the other server is known", func() bool { return len(nc.DiscoveredServers()) > 0 })
	all[0].Shutdown()
	eventually(t, "the other server is asked for", func() bool { return h.wasAsked("127.0.0.1") })
	if nc.IsConnected() {
		t.Errorf("expected no connection to a refused host, found %s", nc.ConnectedUrl())
	}
}

func TestDomains(t *testing.T) {
	hub := run(t, func(o *server.Options) {
		o.JetStreamDomain = "hub"
		o.LeafNode = server.LeafNodeOpts{Host: "127.0.0.1", Port: server.RANDOM_PORT}
	})
	leaf := run(t, func(o *server.Options) {
		o.JetStreamDomain = "leaf"
		o.LeafNode.Remotes = []*server.RemoteLeafOpts{{URLs: []*url.URL{{Scheme: "nats-leaf", Host: fmt.Sprintf("127.0.0.1:%d", leafPort(t, hub))}}}}
	})
	eventually(t, "the leaf is connected", func() bool { return hub.NumLeafNodes() == 1 })
	js := client(t, leaf.ClientURL())
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 3, "orders.x")
	// A client of the hub reads what the leaf holds, and writes it into the hub.
	c, _ := link(t, hub.ClientURL(), connectors.Settings{"domain": "leaf"})
	s := ordersFrom(t, c, nil)
	d := read(t, s, records(3))
	expectSequences(t, d, upTo(1, 3))
	ack(t, d)
	if _, err := c.OpenLedger(t.Context(), someFlow); err != nil {
		t.Errorf("expected a ledger in the domain, found %v", err)
	}
	if _, err := js.Stream(t.Context(), ledgerStream); err != nil {
		t.Errorf("expected the ledger at the leaf, found %v", err)
	}
	own, _ := link(t, hub.ClientURL(), connectors.Settings{"domain": "hub"})
	_, err := own.OpenSource(t.Context(), someFlow, sourcesOf(nil, "orders.>"), connectors.SourceOptions{})
	check(t, "the hub's own", err, `no stream holds "orders.>"`)
	err = tryOpen(t, hub.ClientURL(), connectors.Settings{"domain": "other"})
	check(t, "another domain", err, `no JetStream answers for the domain "other"`)
}

func leafPort(t *testing.T, s *server.Server) int {
	t.Helper()
	v, err := s.Varz(nil)
	if err != nil {
		t.Fatal(err)
	}
	return v.LeafNode.Port
}

// Another account's JetStream is reached under a prefix, if that account exports it.
func TestAnotherAccountUnderAPrefix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server.conf")
	text := `accounts {
  OWNER: { jetstream: enabled, users: [{ user: owner, password: p }], exports: [
    { service: "$JS.API.>", response: stream }, { service: "$JS.ACK.>" }, { service: "orders.>" }, { service: "flow.ledger.>" } ] }
  GUEST: { users: [{ user: guest, password: p }], imports: [
    { service: { account: OWNER, subject: "$JS.API.>" }, to: "owner.API.>" }
    { service: { account: OWNER, subject: "$JS.ACK.>" } }
    { service: { account: OWNER, subject: "orders.>" } }
    { service: { account: OWNER, subject: "flow.ledger.>" } } ] }
}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	options, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	url := startServer(t, func(o *server.Options) { o.Accounts, o.Users = options.Accounts, options.Users })
	js := client(t, url, userInfo("owner"))
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 5, "orders.x")
	as := connectors.Settings{"auth_mode": "user_password", "username": "guest", "password": connectors.Given("p")}
	if err := tryOpen(t, url, as); connectors.ClassOf(err) != connectors.Environment {
		t.Errorf("expected the guest's own account to have no JetStream, found %v", err)
	}
	as["api_prefix"] = "owner.API"
	c, _ := link(t, url, as)
	s := ordersFrom(t, c, nil)
	d := read(t, s, records(5))
	expectSequences(t, d, upTo(1, 5))
	ack(t, d)
	if info := consumerInfo(t, js, "ORDERS"); info.AckFloor.Stream != 5 {
		t.Errorf("expected the acknowledgements to get through, found %+v", info.AckFloor)
	}
	ledger, err := c.OpenLedger(t.Context(), someFlow)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Append(t.Context(), "epoch", 0, []byte(`{}`)); err != nil {
		t.Errorf("expected the ledger to be written, found %v", err)
	}
	err = tryOpen(t, url, connectors.Settings{"auth_mode": "user_password", "username": "guest", "password": connectors.Given("p"), "api_prefix": "nobody.API"})
	if connectors.ClassOf(err) != connectors.Transient || err == nil {
		t.Errorf("expected a prefix that nobody answers to be refused, found %v", err)
	}
}

func TestContexts(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	url := startServer(t, func(o *server.Options) { o.Username, o.Password = "me", "hush" })
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(home, "nats", "context"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, "nats", "context", name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good", fmt.Sprintf(`{"url":%q,"user":"me","password":"hush"}`, url))
	write("wrong", fmt.Sprintf(`{"url":%q,"user":"me","password":"no"}`, url))
	write("domain", fmt.Sprintf(`{"url":%q,"user":"me","password":"hush","jetstream_domain":"nowhere"}`, url))
	write("broken", `{"url":`)
	for name, want := range map[string]string{
		"good": "", "wrong": "Authorization Violation", "domain": `no JetStream answers for the domain "nowhere"`, "broken": `of the context "broken"`, "missing": `of the context "missing"`,
	} {
		s := complete(connectionFields, connectors.Settings{"context": name})
		c, err := open(t.Context(), "main", s, func(connectors.Notice) {})
		if err == nil {
			if got := c.String(); !strings.HasSuffix(got, "(context good)") {
				t.Errorf("%s: found %s", name, got)
			}
			c.Close()
		}
		check(t, name, err, want)
		if err != nil && strings.Contains(err.Error(), "hush") {
			t.Errorf("%s: the secret shows in %v", name, err)
		}
	}
}

// A right that is taken away under a running source is named, and in time.
func TestRightsThatAreLostWhileReading(t *testing.T) {
	for _, lost := range []string{"$JS.API.CONSUMER.MSG.NEXT.>", "$JS.ACK.>"} {
		t.Run(lost, func(t *testing.T) {
			users := func(deny ...string) []*server.User {
				return []*server.User{{Username: "admin", Password: "p"},
					{Username: "flow", Password: "p", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: append(deny, "nothing")}}}}
			}
			var options server.Options
			s := run(t, func(o *server.Options) { o.Users = users(); options = *o })
			js := client(t, s.ClientURL(), userInfo("admin"))
			makeStream(t, js, streamOn("ORDERS", "orders.>"))
			fill(t, js, 10, "orders.x")
			c, _ := link(t, s.ClientURL(), connectors.Settings{"auth_mode": "user_password", "username": "flow", "password": connectors.Given("p")})
			source := ordersFrom(t, c, nil)
			at := read(t, source, records(5))
			ack(t, at)
			options.Users = users(lost)
			if err := s.ReloadOptions(&options); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			_, err := goOn(t, source, at.Position(), 0)
			expectEnvironment(t, lost, err, `permission denied: the user may not publish to "`+strings.TrimSuffix(lost, ">"))
			if took := time.Since(began); took > noticed {
				t.Errorf("it took %s to say so", took)
			}
		})
	}
}
