package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/flowlang/flow/internal/terminal"
	"github.com/flowlang/flow/monitor"
)

// on starts flowtui on a terminal.
func on(t *testing.T, width, height int, args ...string) *terminal.Terminal {
	t.Helper()
	path := os.Getenv("PATH")
	if real, err := flowc(); err == nil {
		path = filepath.Dir(real) + ":" + path
	}
	env := []string{"PATH=" + path, "XDG_CONFIG_HOME=" + t.TempDir(), "LC_ALL=C.UTF-8", "NO_COLOR="}
	return terminal.Start(t, width, height, env, append([]string{"flowtui"}, args...)...)
}

func TestKeysOnATerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	w.serve(recorded("orders", 1), recorded("orders", 2), recorded("payments", 3))
	x := on(t, 80, 24, "--server", w.url)
	x.Shows("3 runs", ">▸ RUNNING  orders @mill:1", "payments", "q quit")
	x.Keys("G", "Enter")
	x.Shows("flow payments  ▸ RUNNING", "[2 run]", "RESOURCE")
	x.Keys("p")
	x.Shows("pause payments on mill, process 3? [y/N]")
	x.Keys("y")
	x.Shows("▪ PAUSED")
	x.Type("/pay")
	x.Shows("/pay_")
	x.Keys("Escape")
	x.Lacks("/pay_")
	x.Keys("?")
	x.Shows("keys", "the chosen epoch, again")
	x.Keys("Escape")
	x.Shows("flow payments")
	x.Keys("1")
	x.Type(":sort lag")
	x.Keys("Enter")
	x.Shows("LAG▼")
	x.Keys("q")
	if left := x.Ends(statusDone); strings.Contains(left, "runs") {
		t.Errorf("the screen is not as it was:\n%s", left)
	}
}

func TestCtrlCEndsTheViewerOnly(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	run := recorded("orders", 1)
	w.serve(run)
	x := on(t, 80, 24, "--server", w.url, "orders")
	x.Shows("flow orders")
	x.Keys("C-c")
	x.Ends(statusDone)
	if s := run.State(); s != monitor.Running {
		t.Errorf("the run is %s", s)
	}
}

// TestSizes makes the terminal smaller and larger while it is drawn on.
func TestSizes(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	w.serve(recorded("orders", 1))
	x := on(t, 80, 24, "--server", w.url, "orders")
	whole := x.Shows("flow orders", "RESOURCE", "q quit")
	for _, s := range [][2]int{{20, 5}, {5, 1}, {1, 1}, {1, 30}, {200, 60}, {79, 24}} {
		x.Resize(s[0], s[1])
		x.Shows("▸")
	}
	x.Resize(80, 24)
	again := x.Shows("flow orders", "RESOURCE", "q quit")
	if a, b := len(strings.Split(whole, "\n")), len(strings.Split(again, "\n")); a != b {
		t.Errorf("expected %d lines, found %d:\n%s", a, b, again)
	}
	if strings.Count(again, "RESOURCE") != 1 || strings.Count(again, "q quit") != 1 {
		t.Errorf("something is left over:\n%s", again)
	}
	x.Keys("q")
	x.Ends(statusDone)
}

func TestASCIITerminal(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	w.serve(recorded("zürich", 1))
	x := terminal.Start(t, 80, 24, []string{"PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + t.TempDir(), "LC_ALL=C", "TERM=linux"},
		"flowtui", "--server", w.url)
	x.Shows("> RUNNING", `z\u00fcrich`)
	x.Keys("q")
	x.Ends(statusDone)
}

func TestColors(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	w.serve(recorded("orders", 1))
	for _, c := range []struct {
		env, args []string
		colored   bool
	}{
		{nil, nil, true},
		{[]string{"NO_COLOR=1"}, nil, false},
		{nil, []string{"--color", "never"}, false},
		{[]string{"NO_COLOR=1"}, []string{"--color", "always"}, true},
		{[]string{"TERM=dumb"}, nil, false},
	} {
		env := append([]string{"PATH=" + os.Getenv("PATH"), "XDG_CONFIG_HOME=" + t.TempDir(), "LC_ALL=C.UTF-8"}, c.env...)
		x := terminal.Start(t, 80, 24, env, append([]string{"flowtui", "--server", w.url, "orders"}, c.args...)...)
		x.Shows("RUNNING", "q quit")
		if painted := x.Painted(); strings.Contains(painted, "38;5;33m") != c.colored {
			t.Errorf("%q %q: expected colors %t, found\n%q", c.env, c.args, c.colored, painted)
		}
		x.Keys("q")
		x.Ends(statusDone)
	}
}

// TestServerRestarts watches a run whose server goes away and comes back.
func TestServerRestarts(t *testing.T) {
	t.Parallel() // it mostly waits
	server := natsprocess.Start(t)
	w := &world{t: t, url: server.URL()}
	w.serve(recorded("orders", 1))
	x := on(t, 80, 24, "--server", w.url, "orders")
	x.Shows("flow orders  ▸ RUNNING")
	server.Stop()
	x.Shows("disconnected from "+w.url, "? STALE", "was RUNNING")
	server.Restart()
	x.Shows("flow orders  ▸ RUNNING", "q quit")
	x.Keys("q")
	x.Ends(statusDone)
}
