package main

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/monitor"
	natsgo "github.com/nats-io/nats.go"
)

// hostile is text that clears a screen, sets its title and turns the direction of
// reading.
const hostile = "x\x1b[2J\x1b]0;owned\x07\u009b31m\u202e\x7f"

// world is a server, and runs that are served on it.
type world struct {
	t   *testing.T
	url string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	server, err := embedded.Start("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return &world{t: t, url: server.URL()}
}

// serve answers for runs as flowc run does.
func (w *world) serve(runs ...*observed) {
	w.t.Helper()
	nc, err := natsgo.Connect(w.url, natsgo.MaxReconnects(-1))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(nc.Close)
	for _, r := range runs {
		service, err := monitor.Serve(nc, r)
		if err != nil {
			w.t.Fatal(err)
		}
		w.t.Cleanup(service.Stop)
	}
	if err := nc.Flush(); err != nil {
		w.t.Fatal(err)
	}
}

// observed is a run that was recorded, and answers as a running one.
type observed struct {
	mu       sync.Mutex
	snapshot monitor.Snapshot
}

func recorded(flow string, pid int) *observed {
	now := time.Now().UTC()
	return &observed{snapshot: monitor.Snapshot{
		State: monitor.Running, Lag: monitor.Lag{Loss: -1}, LastCertified: now,
		Run: monitor.Run{ID: "run" + string(rune('0'+pid)), Namespace: "default", Flow: flow, Host: "mill", PID: pid, Version: "v0.1.0",
			Started: now.Add(-time.Hour + time.Duration(pid)*time.Second), Guarantee: "at least once", Control: true},
		Resources: []monitor.Resource{{Name: "orders"}},
	}}
}

func (o *observed) Snapshot() monitor.Snapshot {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.snapshot
	s.Taken = time.Now().UTC()
	return s
}

func (o *observed) State() monitor.State { return o.Snapshot().State }

func (o *observed) Epochs(context.Context, monitor.EpochsRequest) ([]monitor.Mark, error) {
	return nil, nil
}

func (o *observed) Dead() []monitor.DeadLetter { return nil }

func (o *observed) Control(c monitor.Command) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.snapshot.State = map[monitor.Command]monitor.State{monitor.Pause: monitor.Paused, monitor.Resume: monitor.Running, monitor.Stop: monitor.Draining}[c]
	return nil
}
