package record_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/monitor/record"
	"github.com/flowlang/flow/planner"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// world is a server with the streams ORDERS and OUT.
type world struct {
	t   testing.TB
	url string
	nc  *natsgo.Conn
	js  jetstream.JetStream
}

func newWorld(t testing.TB) *world {
	t.Helper()
	server, err := embedded.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	nc, err := natsgo.Connect(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for name, subject := range map[string]string{"ORDERS": "orders.>", "OUT": "out.>"} {
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{subject}}); err != nil {
			t.Fatal(err)
		}
	}
	return &world{t: t, url: server.URL(), nc: nc, js: js}
}

func (w *world) publish(subject string, bodies ...string) {
	w.t.Helper()
	for _, b := range bodies {
		if _, err := w.js.Publish(w.t.Context(), subject, []byte(b)); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) plan(text string) *planner.Flow {
	w.t.Helper()
	file, found := lang.Parse(&lang.Source{Name: "orders.flow", Text: text})
	if found.HasErrors() {
		w.t.Fatal(found)
	}
	plan, found := planner.Compile([]*lang.File{file}, planner.Options{
		Kinds: []connectors.Kind{nats.Kind()}, Defaults: map[string]connectors.Settings{"nats": {"url": []string{w.url}}}})
	if found.HasErrors() {
		w.t.Fatal(found)
	}
	return plan.Flows[0]
}

// drain runs a flow until it is caught up.
func (w *world) drain(text string, about record.About) (*record.Recorder, error) {
	w.t.Helper()
	flow := w.plan(text)
	r := record.New(flow, about)
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	_, err := exec.Run(ctx, flow, r.Attach(exec.Options{UntilCaughtUp: true}))
	r.Ended()
	return r, err
}

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

const poisoned = `flow orders
  from nats "orders.a" as a, nats "orders.b" as b epoch 10/200ms
  select { id: int(id), half: int(10 / int(zero)) }
  to nats stream "OUT" subject "out.<resource>"
  on error dead letter to nats subject "dead.<resource>"`

func TestASnapshotOfAFinishedRun(t *testing.T) {
	w := newWorld(t)
	for i := range 25 {
		w.publish("orders.a", fmt.Sprintf(`{"id":"%d","zero":"2"}`, i))
	}
	w.publish("orders.b", `{"id":"1","zero":"0"}`, `{"id":"2","zero":"1"}`)
	r, err := w.drain(poisoned, record.About{File: "orders.flow", Version: "v9", Data: true})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Snapshot()
	if s.State != monitor.Ended || s.Run.ID != r.ID() || s.Run.Flow != "orders" || s.Run.File != "orders.flow" || !strings.Contains(s.Run.Server, strings.TrimPrefix(w.url, "nats://")) ||
		!strings.Contains(s.Run.Plan, "flow orders") || s.Run.Guarantee != "at least once" || s.Run.Control || !s.Run.Data {
		t.Errorf("the run is %s %+v", s.State, s.Run)
	}
	if n := s.Totals; n.In != 27 || n.Out != 26 || n.Dead != 1 || n.Skipped != 0 || n.Bytes == 0 || n.Epochs != 3 || n.Outcomes[monitor.OK] != 3 || n.Reasons["F5002"] != 1 {
		t.Errorf("the totals are %+v", n)
	}
	a, b := s.Resources[0], s.Resources[1]
	if a.Name != "a" || a.In != 25 || a.Out != 25 || a.Dead != 0 || a.Last != 25 || a.Bytes == 0 {
		t.Errorf("the first resource is %+v", a)
	}
	if b.Name != "b" || b.In != 2 || b.Out != 1 || b.Dead != 1 || b.Last != 26 {
		t.Errorf("the second resource is %+v", b)
	}
	if len(s.Recent) != 3 || s.Recent[2].Number != 3 || s.Recent[2].Messages != 7 || s.Recent[2].Written != 6 || s.Recent[2].Ranges[0] != (monitor.Range{Stream: "ORDERS", First: 21, Last: 27, Records: 7}) || len(s.Recent[2].Receipts) != 2 {
		t.Errorf("the epochs are %+v", s.Recent)
	}
	if s.Sinks[0].To != "OUT out.<resource>" || s.Sources[0].Last != 27 || s.Lag.Messages != 0 || s.LastCertified.IsZero() || s.Rate.In == 0 {
		t.Errorf("found %+v", s)
	}
	letters := r.Dead()
	if len(letters) != 1 {
		t.Fatalf("found %+v", letters)
	}
	l := letters[0]
	if l.Sequence != 26 || l.Resource != "b" || l.Epoch != 3 || l.Code != "F5002" || string(l.Body) != `{"id":"1","zero":"0"}` || !strings.Contains(l.Place, "^") || !strings.Contains(l.Place, "orders.flow:3:") {
		t.Errorf("the dead letter is %+v\n%s", l, l.Place)
	}
}

func TestBodiesAreHiddenUnlessDataIsShown(t *testing.T) {
	w := newWorld(t)
	w.publish("orders.b", `{"id":"1","zero":"0"}`)
	r, err := w.drain(poisoned, record.About{})
	if err != nil {
		t.Fatal(err)
	}
	if letters := r.Dead(); len(letters) != 1 || letters[0].Body != nil || letters[0].Headers != nil {
		t.Errorf("found %+v", letters)
	}
}

func TestTheCausesAreTheWholeTime(t *testing.T) {
	w := newWorld(t)
	flow := w.plan(`from nats "orders.>" epoch 100/20ms to nats stream "OUT" subject "out.v1" max_in_flight 10/16MiB`)
	stop := make(chan struct{})
	r := record.New(flow, record.About{Stop: func() { close(stop) }})
	done := make(chan error, 1)
	go func() {
		_, err := exec.Run(context.Background(), flow, r.Attach(exec.Options{Stop: stop}))
		r.Ended()
		done <- err
	}()
	check := func() monitor.Snapshot {
		s := r.Snapshot()
		sum := 0.0
		for _, c := range s.Causes {
			if c.Seconds < 0 {
				t.Errorf("%s takes %v", c.Name, c.Seconds)
			}
			sum += c.Seconds
		}
		if math.Abs(sum-s.Elapsed) > 1e-6 {
			t.Errorf("the causes make up %v of %v: %+v", sum, s.Elapsed, s.Causes)
		}
		return s
	}
	for i := range 500 {
		w.publish("orders.a", fmt.Sprintf(`{"id":%d}`, i))
		check()
	}
	eventually(t, "all is written", func() bool { return check().Totals.Out == 500 })
	seconds := map[string]float64{}
	for _, c := range check().Causes {
		seconds[c.Name] = c.Seconds
	}
	for _, name := range []string{monitor.CauseIdle, monitor.CauseDecode, monitor.CausePublish, monitor.CauseWindowMessages, monitor.CauseAcks, monitor.CauseCertify, monitor.CauseAck} {
		if seconds[name] == 0 {
			t.Errorf("%s took no time: %v", name, seconds)
		}
	}
	if err := r.Control(monitor.Pause); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is paused", func() bool { return check().State == monitor.Paused })
	if err := r.Control(monitor.Resume); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it runs", func() bool { return check().State == monitor.Running })
	if err := r.Control(monitor.Stop); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if s := check(); s.State != monitor.Ended || s.Totals.Out != 500 {
		t.Errorf("found %s, %+v", s.State, s.Totals)
	}
}

func TestAnEpochThatFailedIsAReplay(t *testing.T) {
	w := newWorld(t)
	w.publish("orders.a", `{"id":1}`)
	flow := w.plan(`from nats "orders.>" epoch 100/20ms to nats stream "OUT" subject "out.v1"`)
	r := record.New(flow, record.About{})
	failures := 0
	options := r.Attach(exec.Options{UntilCaughtUp: true})
	options.Ledger = func(ctx context.Context, id connectors.Identity) (connectors.Ledger, error) {
		settings := connectors.Settings{"url": []string{w.url}}
		nats.Kind().Connection.Complete(settings)
		conn, err := nats.Kind().Open(ctx, "ledger", settings, func(connectors.Notice) {})
		if err != nil {
			return nil, err
		}
		t.Cleanup(conn.Close)
		ledger, err := conn.OpenLedger(ctx, id)
		return &failing{Ledger: ledger, failures: &failures}, err
	}
	if _, err := exec.Run(t.Context(), flow, options); err != nil {
		t.Fatal(err)
	}
	s := r.Snapshot()
	if len(s.Recent) != 2 || s.Recent[0].Outcome != monitor.EpochFailed || s.Recent[0].Error != "no room" || s.Recent[0].Messages != 1 || s.Recent[1].Outcome != monitor.Replay {
		t.Errorf("the epochs are %+v", s.Recent)
	}
	if s.Totals.Failures != 1 || s.Totals.Outcomes[monitor.Replay] != 1 {
		t.Errorf("the totals are %+v", s.Totals)
	}
	marks, err := r.Epochs(t.Context(), monitor.EpochsRequest{Last: 5})
	if err != nil || len(marks) != 1 || marks[0].Number != 1 || marks[0].Written != 1 || marks[0].Seconds == 0 || marks[0].Receipts[0].Stream != "OUT" {
		t.Errorf("found %+v, %v", marks, err)
	}
	if marks, err := r.Epochs(t.Context(), monitor.EpochsRequest{Last: 5, Before: 1}); err != nil || len(marks) != 0 {
		t.Errorf("found %+v, %v", marks, err)
	}
}

// failing refuses the first certificate.
type failing struct {
	connectors.Ledger
	failures *int
}

func (l *failing) Append(ctx context.Context, chain string, previous uint64, data []byte) (uint64, error) {
	if strings.Contains(string(data), `"kind":"certificate"`) && *l.failures == 0 {
		*l.failures++
		return 0, connectors.Errorf(connectors.Transient, "no room")
	}
	return l.Ledger.Append(ctx, chain, previous, data)
}

func TestARunWithoutControlRefuses(t *testing.T) {
	w := newWorld(t)
	r := record.New(w.plan(`from nats "orders.>" to nats stream "OUT" subject "out.v1"`), record.About{})
	for _, command := range []monitor.Command{monitor.Pause, monitor.Resume, monitor.Stop} {
		refusal, ok := errors.AsType[*monitor.Refusal](r.Control(command))
		if !ok || refusal.Code != monitor.Forbidden || !strings.Contains(refusal.Text, "--allow-control") {
			t.Errorf("%s: found %v", command, refusal)
		}
	}
	if s := r.Snapshot(); s.State != monitor.Starting {
		t.Errorf("before it begins a run is %s", s.State)
	}
}

func TestTheLastLinesAreKept(t *testing.T) {
	w := newWorld(t)
	r := record.New(w.plan(`from nats "orders.>" to nats stream "OUT" subject "out.v1"`), record.About{})
	var out strings.Builder
	log := slog.New(r.Handler(slog.NewTextHandler(&out, nil))).With("flow", "orders")
	for i := range 3 * monitor.LogLines {
		log.Warn("something", "n", i)
	}
	lines := r.Snapshot().Log
	if len(lines) != monitor.LogLines || lines[len(lines)-1].Text != "something n=299" || !lines[0].Warning || lines[0].Text != "something n=200" {
		t.Errorf("%d lines are kept, the last one is %+v", len(lines), lines[len(lines)-1])
	}
	if n := strings.Count(out.String(), "flow=orders"); n != 3*monitor.LogLines {
		t.Errorf("%d lines were passed on", n)
	}
}
