package exec_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// world is a server of a test's own, and the test's view of it.
type world struct {
	t      *testing.T
	server *embedded.Server
	nc     *natsgo.Conn
	js     jetstream.JetStream

	process *natsprocess.Server // instead of server, where it is to be killed
}

func (w *world) url() string {
	if w.process != nil {
		return w.process.URL()
	}
	return w.server.URL()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t}
	w.startIn(t.TempDir())
	return w
}

// startIn starts the server on a directory, which may be that of one before.
func (w *world) startIn(dir string) {
	w.t.Helper()
	server, err := embedded.Start(dir)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(server.Stop)
	w.server = server
	w.dial()
}

// newKillable is a world whose server is a process.
func newKillable(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, process: natsprocess.Start(t)}
	w.dial(natsgo.MaxReconnects(-1), natsgo.ReconnectWait(10*time.Millisecond))
	return w
}

func (w *world) dial(options ...natsgo.Option) {
	w.t.Helper()
	var err error
	if w.nc, err = natsgo.Connect(w.url(), options...); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(w.nc.Close)
	if w.js, err = jetstream.New(w.nc); err != nil {
		w.t.Fatal(err)
	}
}

// restart kills the server and starts it again, and waits for the test's own link.
func (w *world) restart() {
	w.t.Helper()
	w.process.Kill()
	w.process.Restart()
	eventually(w.t, "the test is connected", w.nc.IsConnected)
}

func (w *world) stream(config jetstream.StreamConfig) jetstream.Stream {
	w.t.Helper()
	s, err := w.js.CreateStream(w.t.Context(), config)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// plain makes the streams that most tests use.
func (w *world) plain() {
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
}

func (w *world) publish(subject string, bodies ...string) {
	w.t.Helper()
	for _, b := range bodies {
		if _, err := w.js.Publish(w.t.Context(), subject, []byte(b)); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) publishIDs(from, to int) {
	w.t.Helper()
	for i := from; i <= to; i++ {
		w.publish("orders.a", fmt.Sprintf(`{"id":%d}`, i))
	}
}

const plainFlow = `from nats "orders.>" epoch 1000/200ms to nats stream "OUT" subject "out.v1"`

func (w *world) plan(text string) *planner.Flow {
	w.t.Helper()
	return w.planWith(text, nats.Kind())
}

// planWith is plan with that connector for NATS.
func (w *world) planWith(text string, kind connectors.Kind) *planner.Flow {
	w.t.Helper()
	file, found := lang.Parse(&lang.Source{Name: "orders.flow", Text: text})
	if found.HasErrors() {
		w.t.Fatal(found)
	}
	plan, found := planner.Compile([]*lang.File{file}, planner.Options{
		Kinds:    []connectors.Kind{kind},
		Defaults: map[string]connectors.Settings{"nats": {"url": []string{w.url()}}},
	})
	if found.HasErrors() {
		w.t.Fatal(found)
	}
	return plan.Flows[0]
}

// drain runs a flow until it is caught up, within a bound.
func (w *world) drain(text string) (exec.Totals, error) {
	w.t.Helper()
	return w.drainAs(text, exec.Options{})
}

// drainAs is drain with options.
func (w *world) drainAs(text string, options exec.Options) (exec.Totals, error) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	options.UntilCaughtUp = true
	return exec.Run(ctx, w.plan(text), options)
}

// ids are the ids of the messages in a stream, in its order.
func (w *world) ids(stream string) []int {
	w.t.Helper()
	var ids []int
	for _, m := range w.messages(stream) {
		var body struct{ ID int }
		if err := json.Unmarshal(m.Data, &body); err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, body.ID)
	}
	return ids
}

func (w *world) messages(stream string) []*jetstream.RawStreamMsg {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	state := s.CachedInfo().State
	var all []*jetstream.RawStreamMsg
	for sequence := state.FirstSeq; sequence <= state.LastSeq; sequence++ {
		if m, err := s.GetMsg(w.t.Context(), sequence); err == nil {
			all = append(all, m)
		}
	}
	return all
}

// records are the flow's epoch chain.
func (w *world) records() []exec.Record {
	w.t.Helper()
	var all []exec.Record
	for _, m := range w.messages("FLOW_LEDGER") {
		if m.Subject != "flow.ledger.default.orders.epoch" {
			continue
		}
		var r exec.Record
		if err := json.Unmarshal(m.Data, &r); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

func (w *world) consumer(stream string) *jetstream.ConsumerInfo {
	w.t.Helper()
	c, err := w.js.Consumer(w.t.Context(), stream, "flow-default-orders")
	if err != nil {
		w.t.Fatal(err)
	}
	return c.CachedInfo()
}

// running is a flow that goes on until it is stopped.
type running struct {
	stop   chan struct{}
	done   chan struct{}
	totals exec.Totals
	err    error

	mu      sync.Mutex
	events  []exec.Event
	notices []connectors.Notice
}

func (w *world) start(text string) *running {
	w.t.Helper()
	return w.startAs(text, exec.Options{})
}

// startAs is start with options.
func (w *world) startAs(text string, options exec.Options) *running {
	w.t.Helper()
	flow := w.plan(text)
	r := &running{stop: make(chan struct{}), done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer close(r.done)
		options.Stop, options.OnEvent, options.OnNotice = r.stop, r.event, r.notice
		r.totals, r.err = exec.Run(ctx, flow, options)
	}()
	w.t.Cleanup(func() { cancel(); <-r.done })
	return r
}

func (r *running) event(e exec.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *running) notice(n connectors.Notice) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notices = append(r.notices, n)
}

func (r *running) count(kind exec.EventKind) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, e := range r.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func (r *running) ended() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// eventually waits for a condition, at most ten seconds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("not within ten seconds: %s", what)
		case <-tick.C:
		}
	}
}

// upTo is 1..n.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
