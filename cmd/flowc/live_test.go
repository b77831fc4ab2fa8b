package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/internal/terminal"
	"github.com/flowlang/flow/monitor"
)

func TestLineOf(t *testing.T) {
	s := monitor.Snapshot{State: monitor.Running, Run: monitor.Run{Flow: "orders"}, Epoch: monitor.Epoch{Number: 1812}, Rate: monitor.Rate{In: 4102.7},
		Lag: monitor.Lag{Messages: 12408, Seconds: 9.12}, InFlight: monitor.Window{Messages: 356, MessagesLimit: 1024}}
	if got, want := lineOf(s), "orders: epoch 1,812, 4,102/s, lag 12,408 (9.1s), in flight 356/1,024"; got != want {
		t.Errorf("expected %q, found %q", want, got)
	}
	s.State, s.Lag = monitor.Paused, monitor.Lag{}
	if got, want := lineOf(s), "orders: paused, epoch 1,812, 4,102/s, lag 0, in flight 356/1,024"; got != want {
		t.Errorf("expected %q, found %q", want, got)
	}
	for width, want := range map[int]string{-1: "", 0: "", 3: "ord", 100: "orders"} {
		if got := cutTo("orders", width); got != want {
			t.Errorf("%d: expected %q, found %q", width, want, got)
		}
	}
}

func TestNoLiveLineWhereNothingTakesIt(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, a := range map[string]*app{"a buffer": {errs: &bytes.Buffer{}, color: "always"}, "a file": {errs: file, color: "always"}} {
		if a.beginLive(running{logFormat: "text"}) != nil {
			t.Errorf("a live line goes to %s", name)
		}
	}
}

// onServer starts a run of the world's flow on a terminal.
func (w *world) onServer(env []string, more ...string) *terminal.Terminal {
	w.t.Helper()
	return terminal.Start(w.t, 80, 24, environment(w.t, env...), append([]string{"flowc", "run", "--server", w.server.URL(), w.flow("10/100ms")}, more...)...)
}

func TestTheLiveLine(t *testing.T) {
	w := newWorld(t)
	x := w.onServer(nil, "--allow-control")
	x.Shows("msg=admitted", "orders: epoch ", "lag 0, in flight 0/1,024")
	w.publish(25)
	w.reaches(25)
	x.Shows("lag 0, in flight 0/1,024")
	if r := flowc(t, "", "pause", "orders", "--server", w.server.URL()); r.status != statusDone {
		t.Fatal(r.errs)
	}
	x.Shows("orders: paused, epoch ")
	x.Resize(40, 24)
	eventually(t, "the line is cut to the width", func() bool { return !strings.Contains(x.Screen(), "flight") })
	screen := x.Shows("orders: paused, epoch ")
	if n := strings.Count(screen, "orders: paused, epoch "); n != 1 {
		t.Errorf("the line is there %d times\n%s", n, screen)
	}
	x.Keys("C-c")
	left := x.Ends(statusDone)
	if strings.Contains(left, "in flight") || strings.Contains(left, "paused, epoch") || !strings.Contains(left, "orders: stopped after") {
		t.Errorf("the line is gone at the end, found\n%s", left)
	}
}

func TestNoLiveLineWithoutEscapeCodes(t *testing.T) {
	w := newWorld(t)
	all := []*terminal.Terminal{w.onServer([]string{"NO_COLOR=1"}), w.onServer(nil, "--color", "never", "--namespace", "b"), w.onServer(nil, "--log-format", "json", "--namespace", "c")}
	eventually(t, "all had the time to draw", func() bool {
		runs := listed(t, w.server.URL())
		return len(runs) == len(all) && !slices.ContainsFunc(runs, func(s monitor.Snapshot) bool { return s.Elapsed < 4*liveEvery.Seconds() })
	})
	for _, x := range all {
		if screen := x.Screen(); !strings.Contains(screen, "admitted") || strings.Contains(screen, "in flight") {
			t.Errorf("found\n%s", screen)
		}
		x.Keys("C-c")
		x.Ends(statusDone)
	}
}
