package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// observed is a run that does nothing but be seen.
type observed struct {
	mu       sync.Mutex
	snapshot Snapshot
	letters  []DeadLetter
	commands []Command
	marks    []Mark
}

func (o *observed) Snapshot() Snapshot {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.snapshot
}

func (o *observed) State() State { return o.Snapshot().State }

func (o *observed) set(s State) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.snapshot.State = s
}

func (o *observed) Epochs(_ context.Context, r EpochsRequest) ([]Mark, error) {
	return o.marks[:min(r.Last, len(o.marks))], nil
}

func (o *observed) Dead() []DeadLetter { return o.letters }

func (o *observed) Control(c Command) error {
	if !o.snapshot.Run.Control {
		return refusef(Forbidden, "this run\ntakes no commands")
	}
	o.commands = append(o.commands, c)
	return nil
}

func runOf(id, flow string) *observed {
	return &observed{snapshot: Snapshot{State: Running, Taken: time.Now().UTC(), Run: Run{
		ID: id, Namespace: "default", Flow: flow, Host: "here", PID: 7, Version: "v1.2.3", Started: time.Now().UTC().Truncate(time.Second), Plan: "the plan", Control: true}}}
}

func url(t *testing.T) string {
	t.Helper()
	server, err := embedded.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server.URL()
}

func connect(t *testing.T, url string, options ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func serve(t *testing.T, nc *nats.Conn, run Observed) *Service {
	t.Helper()
	s, err := Serve(nc, run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return s
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("not within ten seconds: %s", what)
		case <-tick.C:
		}
	}
}

func TestRunsAreFoundAndToldApart(t *testing.T) {
	server := url(t)
	client := NewClient(connect(t, server))
	if runs, err := client.Runs(t.Context()); err != nil || len(runs) != 0 {
		t.Fatalf("expected no runs, found %v, %v", runs, err)
	}
	serve(t, connect(t, server), runOf("id2", "orders"))
	gone := serve(t, connect(t, server), runOf("id1", "orders"))
	first := runOf("id3", "invoices")
	serve(t, connect(t, server), first)
	runs, err := client.Runs(t.Context())
	if err != nil || len(runs) != 3 || runs[0].ID != "id3" || runs[1].ID != "id1" || runs[2].ID != "id2" {
		t.Fatalf("found %v, %v", runs, err)
	}
	want := Listed{ID: "id3", Namespace: "default", Flow: "invoices", Host: "here", PID: 7, Started: first.snapshot.Run.Started}
	if runs[0] != want {
		t.Errorf("expected %+v, found %+v", want, runs[0])
	}
	gone.Stop()
	if runs, err := client.Runs(t.Context()); err != nil || len(runs) != 2 {
		t.Errorf("expected that one is gone, found %v, %v", runs, err)
	}
	if _, err := client.Snapshot(t.Context(), "id1"); !errors.Is(err, ErrGone) {
		t.Errorf("expected that it is said to be gone, found %v", err)
	}
}

// TestWhatTheNATSCommandLineReads looks at the registration as nats service ls does.
func TestWhatTheNATSCommandLineReads(t *testing.T) {
	server := url(t)
	serve(t, connect(t, server), runOf("id", "orders"))
	m, err := connect(t, server).Request("$SRV.INFO.flow", nil, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var info micro.Info
	if err := json.Unmarshal(m.Data, &info); err != nil {
		t.Fatal(err)
	}
	if info.Name != "flow" || info.Version != "1.2.3" || info.Metadata["run"] != "id" || info.Metadata["flow"] != "orders" || len(info.Endpoints) != 4 {
		t.Errorf("found %+v", info)
	}
}

// TestARunAnswersAfterItsServerWasAway changes the run's state while the server is
// down: whatever is registered has to be what answers afterwards.
func TestARunAnswersAfterItsServerWasAway(t *testing.T) {
	server := natsprocess.Start(t)
	run := runOf("id", "orders")
	serving := connect(t, server.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	serve(t, serving, run)
	server.Kill()
	eventually(t, "the link is lost", func() bool { return !serving.IsConnected() })
	run.set(Paused)
	time.Sleep(1500 * time.Millisecond) // nothing is waited for: this is the time in which it might register anew
	server.Restart()
	eventually(t, "the link is back", serving.IsConnected)
	client := NewClient(connect(t, server.URL()))
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		s, err := client.Snapshot(ctx, "id")
		cancel()
		if err != nil || s.State != Paused {
			t.Fatalf("answer %d is %v, %v", i+1, s, err)
		}
	}
}

func TestASnapshotArrivesAsItIs(t *testing.T) {
	server := url(t)
	run := runOf("id", "orders")
	run.snapshot.Resources = []Resource{{Name: "orders\x1b[2J", In: 3}}
	run.snapshot.Recent = []Mark{{Number: 4, Outcome: Slow}}
	serve(t, connect(t, server), run)
	client := NewClient(connect(t, server))
	s, err := client.Snapshot(t.Context(), "id")
	if err != nil {
		t.Fatal(err)
	}
	if !s.Taken.Equal(run.snapshot.Taken) || s.Run.Plan != "the plan" || s.Resources[0].Name != "orders\x1b[2J" || s.Recent[0].Outcome != Slow || s.Cut != "" {
		t.Errorf("found %+v", s)
	}
	brief, err := client.Brief(t.Context(), "id")
	if err != nil || brief.Run.Flow != "orders" || brief.Run.Plan != "" || brief.Resources != nil {
		t.Errorf("found %+v, %v", brief, err)
	}
}

func TestALargeSnapshotIsCutAndSaysSo(t *testing.T) {
	server := url(t)
	run := runOf("id", "orders")
	many := func(n int) []Resource {
		all := make([]Resource, n)
		for i := range all {
			all[i] = Resource{Name: fmt.Sprintf("resource number %d", i), In: 1 << 60, Out: 1 << 60, Bytes: 1 << 60, Last: 1 << 60}
		}
		return all
	}
	for range RecentEpochs {
		run.snapshot.Recent = append(run.snapshot.Recent, Mark{Number: 1, Receipts: []Receipt{{Resource: "orders", Stream: "V1"}}, Phases: []Cause{{"read", 1}}})
	}
	serve(t, connect(t, server), run)
	client := NewClient(connect(t, server))
	for _, v := range []struct {
		resources, least int
		cut              string
	}{{1000, 1000, ""}, {8000, 500, "of 8000 resources"}} {
		run.mu.Lock()
		run.snapshot.Sinks = make([]Sink, v.resources)
		run.snapshot.Resources, run.snapshot.Totals.Epochs = many(v.resources), uint64(v.resources)
		run.mu.Unlock()
		eventually(t, "another snapshot is taken", func() bool {
			s, err := client.Brief(t.Context(), "id")
			return err == nil && s.Totals.Epochs == uint64(v.resources)
		})
		s, err := client.Snapshot(t.Context(), "id")
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Resources) < v.least || !strings.Contains(s.Cut, v.cut) || (s.Cut == "") != (v.cut == "") {
			t.Errorf("of %d resources %d arrived, and %q was cut", v.resources, len(s.Resources), s.Cut)
		}
	}
}

// FuzzFit checks that whatever a snapshot holds, its answer is as small as asked, or
// has nothing left that could be left out.
func FuzzFit(f *testing.F) {
	f.Add(3, 5, 7, "some text", 500)
	f.Add(1000, 100, 120, "\x1b", 3000)
	f.Add(10, 1, 1, "", -5)
	f.Fuzz(func(t *testing.T, resources, lines, marks int, text string, limit int) {
		if resources < 0 || lines < 0 || marks < 0 || resources > 2000 || lines > 200 || marks > 200 || len(text) > 1000 {
			t.Skip()
		}
		s := Snapshot{Run: Run{Plan: text}, Reason: text,
			Resources: make([]Resource, resources), Log: make([]Line, lines), Recent: make([]Mark, marks)}
		for i := range s.Log {
			s.Log[i].Text = text
		}
		for i := range s.Recent {
			s.Recent[i].Error = text
		}
		data, err := s.fit(limit)
		if err != nil {
			t.Fatal(err)
		}
		var back Snapshot
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if len(data) > limit && len(back.Resources)+len(back.Log)+len(back.Recent) > 0 {
			t.Errorf("%d bytes, %d allowed: %s", len(data), limit, back.Cut)
		}
		if back.Cut == "" && len(back.Resources) != resources {
			t.Errorf("%d resources became %d, and nothing says so", resources, len(back.Resources))
		}
	})
}

func TestDeadLettersAreTheNewestFirst(t *testing.T) {
	server := url(t)
	run := runOf("id", "orders")
	for i := range DeadLetters {
		run.letters = append(run.letters, DeadLetter{Sequence: uint64(i + 1), Body: make([]byte, 16<<10)})
	}
	serve(t, connect(t, server), run)
	letters, cut, err := NewClient(connect(t, server)).Dead(t.Context(), "id")
	if err != nil || len(letters) == 0 || letters[0].Sequence != DeadLetters || cut != DeadLetters-len(letters) || cut == 0 {
		t.Errorf("found %d letters and %d cut, %v", len(letters), cut, err)
	}
}

func TestEpochs(t *testing.T) {
	server := url(t)
	run := runOf("id", "orders")
	run.marks = []Mark{{Number: 3}, {Number: 2}, {Number: 1}}
	serve(t, connect(t, server), run)
	client := NewClient(connect(t, server))
	marks, cut, err := client.Epochs(t.Context(), "id", EpochsRequest{Last: 2})
	if err != nil || cut != 0 || len(marks) != 2 || marks[0].Number != 3 {
		t.Errorf("found %v, %d, %v", marks, cut, err)
	}
	if _, _, err := client.Epochs(t.Context(), "id", EpochsRequest{Last: MaxEpochs + 1}); codeOf(err) != BadRequest {
		t.Errorf("found %v", err)
	}
}

func codeOf(err error) string {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r.Code
	}
	return ""
}

func TestCommandsArriveOrAreRefused(t *testing.T) {
	server := url(t)
	obeys, deaf := runOf("id1", "orders"), runOf("id2", "orders")
	deaf.snapshot.Run.Control = false
	serve(t, connect(t, server), obeys)
	serve(t, connect(t, server), deaf)
	nc := connect(t, server)
	client := NewClient(nc)
	if state, err := client.Control(t.Context(), "id1", Pause); err != nil || state != Running || len(obeys.commands) != 1 || obeys.commands[0] != Pause {
		t.Errorf("found %v, %v, %v", state, err, obeys.commands)
	}
	_, err := client.Control(t.Context(), "id2", Pause)
	if codeOf(err) != Forbidden || err.Error() != "this run takes no commands" || len(deaf.commands) != 0 {
		t.Errorf("found %v, %v", err, deaf.commands)
	}
	m, err := nc.Request(subjectOf("id1", controlEndpoint), []byte("{no"), time.Second)
	if err != nil || m.Header.Get(micro.ErrorCodeHeader) != BadRequest {
		t.Errorf("found %v, %v", m, err)
	}
}
