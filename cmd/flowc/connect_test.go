package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

const connectedFlow = `flow orders
  from nats "orders.>" epoch 1000/200ms
  to nats stream "OUT" subject "out.<resource>"
  on error dead letter to nats subject "dead.<resource>"`

func allUsers() *server.Options {
	return &server.Options{Users: []*server.User{{Username: "admin", Password: "p"}, {Username: "flow", Password: "p"}}}
}

// serverState is everything that an account holds, as text.
func serverState(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	var all []string
	list := js.ListStreams(t.Context())
	for info := range list.Info() {
		all = append(all, asText(t, info.Config, info.State, info.Created))
		stream, err := js.Stream(t.Context(), info.Config.Name)
		if err != nil {
			t.Fatal(err)
		}
		consumers := stream.ListConsumers(t.Context())
		for c := range consumers.Info() {
			all = append(all, asText(t, c.Config, c.Delivered, c.AckFloor, c.NumAckPending, c.NumWaiting, c.NumPending, c.Created))
		}
		if err := consumers.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
			t.Fatal(err)
		}
	}
	if err := list.Err(); err != nil && !errors.Is(err, jetstream.ErrEndOfData) {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

func asText(t *testing.T, values ...any) string {
	t.Helper()
	b, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// examine checks a flow against a server, and gives what was found.
func examine(t *testing.T, url, flow string, more ...string) ([]checkedFinding, ran) {
	t.Helper()
	r := flowc(t, flow, append([]string{"check", "--connect", "--json", "--server", url, "--user", "flow", "--password", "p", "-"}, more...)...)
	var answer struct {
		OK       bool
		Findings []checkedFinding
	}
	if err := json.Unmarshal([]byte(r.out), &answer); err != nil {
		t.Fatalf("expected JSON, found %v\n%s%s", err, r.out, r.errs)
	}
	if answer.OK != (r.status == statusDone) {
		t.Errorf("ok is %v, and the status %d", answer.OK, r.status)
	}
	return answer.Findings, r
}

// expectFinding looks for a finding of a level whose cells hold the texts.
func expectFinding(t *testing.T, all []checkedFinding, level connectors.Level, what, text string) {
	t.Helper()
	var lines []string
	for _, f := range all {
		line := fmt.Sprintf("%s %s %s: %s", f.Level, f.What, f.Where, f.Found)
		if f.Level == level && f.What == what && strings.Contains(line, text) {
			if level != connectors.Good && f.Help == "" {
				t.Errorf("expected help with %s", line)
			}
			return
		}
		lines = append(lines, line)
	}
	t.Errorf("expected %s %s ... %s, found\n%s", level, what, text, strings.Join(lines, "\n"))
}

func stream(t *testing.T, js jetstream.JetStream, config jetstream.StreamConfig) {
	t.Helper()
	if _, err := js.CreateOrUpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

func TestCheckConnectOfANewFlow(t *testing.T) {
	url := guarded(t, allUsers())
	js := asAdmin(t, url).js
	stream(t, js, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	publish(t, js, "orders.a", `{"id":1}`)
	before := serverState(t, js)
	found, r := examine(t, url, connectedFlow)
	if r.status != statusDone {
		t.Errorf("expected a good flow, found status %d", r.status)
	}
	for what, text := range map[string]string{
		"server": "nats-server", "account": "1 stream, 0 consumers", "permissions": "all that the flow needs",
		"ledger": "missing; it will be made for flow.ledger.>", "source": "file storage, 1 replica", "consumer": "missing; it will be made, with credit 3,000, to read from sequence 1 on",
		"destination": "missing; it will be made for out.>", "dead letters": "missing; it will be made for dead.>", "durability": "sync_interval",
	} {
		expectFinding(t, found, connectors.Good, what, text)
	}
	if after := serverState(t, js); after != before {
		t.Errorf("expected nothing to be changed, found\n%s\nand before\n%s", after, before)
	}
}

func TestCheckConnectOfAFlowThatHasRun(t *testing.T) {
	url := guarded(t, allUsers())
	js := asAdmin(t, url).js
	stream(t, js, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	publish(t, js, "orders.a", `{"id":1}`)
	path := writeFile(t, "orders.flow", connectedFlow)
	if r := flowc(t, "", "run", "--server", url, "--user", "flow", "--password", "p", "--until", "caught-up", path); r.status != statusDone {
		t.Fatal(r.errs)
	}
	publish(t, js, "orders.a", `{"id":2}`)
	consumer, err := js.Consumer(t.Context(), "ORDERS", "flow-default-orders")
	if err != nil {
		t.Fatal(err)
	}
	config := consumer.CachedInfo().Config
	config.AckWait = time.Minute
	if _, err := js.UpdateConsumer(t.Context(), "ORDERS", config); err != nil {
		t.Fatal(err)
	}
	before := serverState(t, js)
	found, r := examine(t, url, connectedFlow)
	if r.status != statusDone {
		t.Errorf("expected warnings only, found status %d", r.status)
	}
	expectFinding(t, found, connectors.Warned, "consumer", "1 message unread; ack wait is 1m instead of 30s")
	expectFinding(t, found, connectors.Good, "ledger", "1 replica")
	expectFinding(t, found, connectors.Good, "destination", "duplicate window 2m")
	expectFinding(t, found, connectors.Good, "retention", "nothing is removed")
	if after := serverState(t, js); after != before {
		t.Errorf("expected nothing to be changed, found\n%s\nand before\n%s", after, before)
	}
	if _, err := js.PauseConsumer(t.Context(), "ORDERS", "flow-default-orders", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	found, r = examine(t, url, connectedFlow)
	expectFinding(t, found, connectors.Failing, "consumer", "is paused")
	if r.status != statusSurrounding {
		t.Errorf("expected status %d, found %d", statusSurrounding, r.status)
	}
}

func TestCheckConnectFindsWhatIsWrong(t *testing.T) {
	orders := jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}}
	for _, v := range []struct {
		name    string
		streams []jetstream.StreamConfig
		flow    string
		level   connectors.Level
		what    string
		text    string
		status  int
	}{
		{"no source", nil, connectedFlow, connectors.Failing, "source", `no stream holds "orders.>"`, statusSurrounding},
		{"a loop", []jetstream.StreamConfig{{Name: "OUT", Subjects: []string{"orders.>", "out.>"}}}, connectedFlow, connectors.Failing, "loop", "the flow would feed itself", statusUsage},
		{"another subject", []jetstream.StreamConfig{orders, {Name: "OUT", Subjects: []string{"elsewhere.>"}}}, connectedFlow, connectors.Failing, "destination", `does not capture "out.orders"`, statusSurrounding},
		{"overlap", []jetstream.StreamConfig{orders, {Name: "OTHER", Subjects: []string{"out.x"}}}, connectedFlow, connectors.Failing, "destination", `missing, and stream OTHER captures a part of "out.>"`, statusSurrounding},
		{"no place for the ledger", []jetstream.StreamConfig{orders, {Name: "FLOW", Subjects: []string{"flow.>"}}}, connectedFlow, connectors.Failing, "ledger", "missing, and stream FLOW captures a part", statusSurrounding},
		{"memory", []jetstream.StreamConfig{orders, {Name: "OUT", Subjects: []string{"out.>"}, Storage: jetstream.MemoryStorage}}, connectedFlow, connectors.Warned, "destination", "memory storage", statusDone},
		{"small messages", []jetstream.StreamConfig{orders, {Name: "OUT", Subjects: []string{"out.>"}, MaxMsgSize: 1000}}, connectedFlow, connectors.Warned, "destination", "it takes messages up to 1000 B, and the source ORDERS has them up to 1 MiB", statusDone},
		{"full", []jetstream.StreamConfig{orders, {Name: "OUT", Subjects: []string{"out.>"}, MaxMsgs: 1, Discard: jetstream.DiscardNew}}, connectedFlow, connectors.Warned, "destination", "at most 1 message, 1 message in it", statusDone},
		{"work queue that starts", []jetstream.StreamConfig{{Name: "ORDERS", Subjects: []string{"orders.>"}, Retention: jetstream.WorkQueuePolicy}},
			`flow orders from nats "orders.>" start new to nats stream "OUT" subject "out.v1"`, connectors.Failing, "consumer", "is a work queue", statusSurrounding},
		{"dead letters without a stream", []jetstream.StreamConfig{orders},
			`flow orders from nats "orders.>" to nats stream "OUT" subject "out.v1" on error dead letter to nats subject "dead.x" create_stream false`, connectors.Failing, "dead letters", "no stream captures it", statusSurrounding},
		{"no bound consumer", []jetstream.StreamConfig{orders}, `flow orders from nats stream "ORDERS" consumer "C" to nats stream "OUT" subject "out.v1"`, connectors.Failing, "consumer", "has no consumer C", statusSurrounding},
	} {
		t.Run(v.name, func(t *testing.T) {
			url := guarded(t, allUsers())
			js := asAdmin(t, url).js
			for _, config := range v.streams {
				stream(t, js, config)
			}
			if v.name == "full" {
				publish(t, js, "out.x", "{}")
			}
			before := serverState(t, js)
			found, r := examine(t, url, v.flow)
			expectFinding(t, found, v.level, v.what, v.text)
			if r.status != v.status {
				t.Errorf("expected status %d, found %d\n%s", v.status, r.status, r.out)
			}
			if after := serverState(t, js); after != before {
				t.Errorf("expected nothing to be changed, found\n%s\nand before\n%s", after, before)
			}
		})
	}
}

func TestCheckConnectNamesMissingRights(t *testing.T) {
	options := allUsers()
	options.Users[1].Permissions = &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"out.>", "$JS.ACK.>"}}}
	url := guarded(t, options)
	js := asAdmin(t, url).js
	stream(t, js, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	found, r := examine(t, url, connectedFlow)
	expectFinding(t, found, connectors.Failing, "permissions", `the user may not publish to "out.orders" (writing)`)
	expectFinding(t, found, connectors.Failing, "permissions", `(acknowledging)`)
	if r.status != statusSurrounding {
		t.Errorf("expected status %d, found %d", statusSurrounding, r.status)
	}
}

func TestCheckConnectForeseesLoss(t *testing.T) {
	url := guarded(t, allUsers())
	js := asAdmin(t, url).js
	stream(t, js, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}, MaxMsgs: 30})
	path := writeFile(t, "orders.flow", connectedFlow)
	publish(t, js, "orders.a", `{"id":0}`)
	if r := flowc(t, "", "run", "--server", url, "--user", "flow", "--password", "p", "--until", "caught-up", path); r.status != statusDone {
		t.Fatal(r.errs)
	}
	for i := range 28 {
		publish(t, js, "orders.a", fmt.Sprintf(`{"id":%d}`, i+1))
	}
	found, r := examine(t, url, connectedFlow)
	expectFinding(t, found, connectors.Warned, "retention", "at this lag it is removed in")
	if r.status != statusDone {
		t.Errorf("expected a warning only, found status %d", r.status)
	}
}

func TestCheckConnectWithoutAServer(t *testing.T) {
	r := flowc(t, connectedFlow, "check", "--connect", "--server", "nats://127.0.0.1:1", "-")
	if r.status != statusSurrounding || !strings.Contains(r.out, "error") || !strings.Contains(r.out, "nothing listens there") || !strings.Contains(r.out, "help: ") {
		t.Errorf("expected a table with the error, found status %d\n%s%s", r.status, r.out, r.errs)
	}
}

// The check takes addresses, secrets and parameters as a run does.
func TestCheckConnectReadsSecretsAndParameters(t *testing.T) {
	url := guarded(t, allUsers())
	stream(t, asAdmin(t, url).js, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	flow := `param to string
connection shop nats url env "SHOP" auth_mode user_password username "flow" password env "SHOP_PASSWORD"
flow orders from shop "orders.>" to shop stream "OUT" subject "<param.to>.v1"`
	t.Setenv("SHOP", url)
	if r := flowc(t, flow, "check", "--connect", "--param", "to=here", "-"); r.status != statusSurrounding || !strings.Contains(r.out, "SHOP_PASSWORD is not set") {
		t.Errorf("expected the missing secret, found status %d\n%s%s", r.status, r.out, r.errs)
	}
	t.Setenv("SHOP_PASSWORD", "p")
	if r := flowc(t, flow, "check", "--connect", "--param", "to=here", "-"); r.status != statusDone || !strings.Contains(r.out, "it will be made for here.v1") {
		t.Errorf("expected the destination, found status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := flowc(t, flow, "check", "--connect", "-"); r.status != statusUsage {
		t.Errorf("expected the missing parameter, found status %d\n%s%s", r.status, r.out, r.errs)
	}
}

// A stream that has come to match since is not read, and a flow that runs is not taken over.
func TestCheckConnectOfAFlowThatRuns(t *testing.T) {
	url := guarded(t, allUsers())
	w := asAdmin(t, url)
	stream(t, w.js, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.a"}})
	path := writeFile(t, "orders.flow", connectedFlow)
	p := start(t, "run", "--server", url, "--user", "flow", "--password", "p", path)
	p.says("msg=reading")
	stream(t, w.js, jetstream.StreamConfig{Name: "MORE", Subjects: []string{"orders.b"}})
	found, r := examine(t, url, connectedFlow)
	expectFinding(t, found, connectors.Warned, "source", "stream MORE: it has come to match since the first run, and is not read")
	expectFinding(t, found, connectors.Good, "owner", "another run stands by")
	if r.status != statusDone {
		t.Errorf("expected warnings only, found status %d\n%s", r.status, r.out)
	}
	found, _ = examine(t, url, strings.Replace(connectedFlow, "to nats", "where id > 1\n  to nats", 1))
	expectFinding(t, found, connectors.Warned, "owner", "runs another version of it")
	publish(t, w.js, "orders.a", `{"id":1}`)
	eventually(t, "the run goes on", func() bool { return w.stored("OUT") == 1 })
}

// What another flow of the same files writes need not be there yet.
func TestCheckConnectOfAChain(t *testing.T) {
	url := guarded(t, allUsers())
	stream(t, asAdmin(t, url).js, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	found, r := examine(t, url, `flow first from nats "orders.>" to nats stream "MIDDLE" subject "middle.v1"
flow second from nats "middle.>" to nats stream "OUT" subject "out.v1"`)
	expectFinding(t, found, connectors.Good, "source", "not there yet; flow first writes it")
	if r.status != statusDone {
		t.Errorf("expected no error, found status %d\n%s", r.status, r.out)
	}
}

func TestFlagsThatGoWithConnect(t *testing.T) {
	for _, args := range [][]string{{"--server", "nats://a:4222"}, {"--param", "a=1"}} {
		r := flowc(t, connectedFlow, append(append([]string{"check"}, args...), "-")...)
		if r.status != statusUsage || !strings.Contains(r.errs, "goes with --connect") {
			t.Errorf("%v: expected a usage error, found status %d\n%s", args, r.status, r.errs)
		}
	}
	if r := flowc(t, connectedFlow, "check", "--connect", "--permissions", "-"); r.status != statusUsage {
		t.Errorf("expected a usage error, found status %d\n%s", r.status, r.errs)
	}
}
