package viewer

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/flowlang/flow/monitor"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

// dimensions are those of a terminal.
type dimensions struct{ w, h int }

var wholeSizes = []dimensions{{80, 24}, {120, 40}, {200, 60}}

// frames are what is drawn at which sizes. Each name is a file of testdata.
var frames = []struct {
	name  string
	sizes []dimensions
	model func() *Model
}{
	{"runs", wholeSizes, func() *Model { return watching(Options{Where: "ctx prod"}, runsOfAllStates()...) }},
	{"runs-filter", wholeSizes[:1], func() *Model {
		m := watching(Options{}, runsOfAllStates()...)
		keys(m, "/", "w", "a", "i")
		return m
	}},
	{"runs-sorted", wholeSizes[:1], func() *Model {
		m := watching(Options{}, runsOfAllStates()...)
		keys(m, ":", "sort lag", "enter", "j", "j")
		return m
	}},
	{"runs-none", wholeSizes[:1], func() *Model { return watching(Options{Where: "ctx prod"}) }},
	{"run", wholeSizes, func() *Model { return onRun(orders(), "2") }},
	{"run-ascii", wholeSizes[:1], func() *Model {
		s := orders()
		s.Run.Flow = "bestellungen-zürich"
		s.Resources[0].Name = "注文"
		m := watching(Options{Where: "ctx prod", ASCII: true}, s)
		keys(m, "2", "s", "s")
		return m
	}},
	{"run-waiting", wholeSizes[:1], func() *Model { return onRun(runsOfAllStates()[3], "2") }},
	{"run-failed", wholeSizes[:1], func() *Model { return onRun(runsOfAllStates()[7], "2") }},
	{"run-stale", wholeSizes[:1], func() *Model { return silent(5 * time.Second) }},
	{"run-gone", wholeSizes[:1], func() *Model { return silent(90 * time.Second) }},
	{"run-again", wholeSizes[:1], func() *Model {
		again := orders()
		again.Run.ID, again.Run.PID, again.Run.Started = "orders-2", 4720, taken
		m := silent(20 * time.Second)
		m.take([]monitor.Snapshot{again})
		return m
	}},
	{"run-cut", wholeSizes[:1], func() *Model {
		s := orders()
		s.Cut = "the plan, 500 of 1000 resources"
		return onRun(s, "2")
	}},
	{"run-no-such", wholeSizes[:1], func() *Model { return watching(Options{Flow: "payments"}, orders()) }},
	{"run-frozen", wholeSizes[:1], func() *Model {
		m := onRun(orders(), "2", "space")
		m.now = m.now.Add(12 * time.Second)
		return m
	}},
	{"run-since-open", wholeSizes[:1], func() *Model { return onRun(orders(), "2", "t") }},
	{"run-empty", wholeSizes[:1], func() *Model {
		return onRun(monitor.Snapshot{Taken: taken, State: monitor.Starting, Run: monitor.Run{ID: "x", Flow: "new", Started: taken}, Lag: monitor.Lag{Loss: -1}}, "2")
	}},
	{"pause", wholeSizes[:1], func() *Model { return onRun(orders(), "2", "p") }},
	{"pause-refused", wholeSizes[:1], func() *Model {
		s := orders()
		s.Run.Control = false
		return onRun(s, "2", "p")
	}},
	{"epoch", wholeSizes, func() *Model { return onRun(orders(), "3") }},
	{"epoch-failed", wholeSizes[:1], func() *Model { return onRun(orders(), "3", "/", "failed", "enter", "enter") }},
	{"dead", wholeSizes, func() *Model { return withLetters(orders(), "4") }},
	{"dead-open", wholeSizes[:1], func() *Model { return withLetters(orders(), "4", "enter") }},
	{"dead-no-data", wholeSizes[:1], func() *Model {
		s := orders()
		s.Run.Data = false
		return withLetters(s, "4", "j")
	}},
	{"plan", wholeSizes, func() *Model { return onRun(orders(), "5") }},
	{"log", wholeSizes, func() *Model { return onRun(orders(), "6") }},
	{"log-errors", wholeSizes[:1], func() *Model { return onRun(orders(), "2", "e") }},
	{"help", wholeSizes, func() *Model { return onRun(orders(), "?") }},
	{"command-unknown", wholeSizes[:1], func() *Model { return onRun(orders(), "2", ":", "epohc", "enter") }},
	{"small", []dimensions{{79, 24}, {80, 23}, {40, 10}, {20, 5}, {10, 3}, {5, 1}, {1, 1}}, func() *Model { return watching(Options{}, runsOfAllStates()...) }},
	{"small-pause", []dimensions{{40, 10}, {20, 5}, {1, 1}}, func() *Model { return onRun(orders(), "p") }},
	{"hostile", wholeSizes[:1], func() *Model { return onRun(hostileRun(), "2") }},
}

func onRun(s monitor.Snapshot, pressed ...string) *Model {
	m := watching(Options{Where: "ctx prod"}, s)
	keys(m, pressed...)
	return m
}

func withLetters(s monitor.Snapshot, pressed ...string) *Model {
	m := onRun(s, pressed[:1]...)
	m.dead, m.deadOf, m.deadAt = orderLetters(), s.Run.ID, m.now
	keys(m, pressed[1:]...)
	return m
}

// silent is a viewer whose run has said nothing for a while.
func silent(d time.Duration) *Model {
	m := onRun(orders(), "2")
	m.now = m.now.Add(d)
	return m
}

func TestGoldenFrames(t *testing.T) {
	for _, f := range frames {
		t.Run(f.name, func(t *testing.T) {
			var b strings.Builder
			for _, s := range f.sizes {
				fmt.Fprintf(&b, "-- %dx%d --\n%s\n", s.w, s.h, rendered(t, f.model(), s.w, s.h))
			}
			golden(t, filepath.Join("testdata", f.name+".txtar"), b.String())
		})
	}
}

// rendered is a frame as the terminal gets it, without colors; spaces at the end of
// lines are left out.
func rendered(t *testing.T, m *Model, w, h int) string {
	t.Helper()
	m.width, m.height = w, h
	text := ansi.Strip(m.View().Content)
	lines := strings.Split(text, "\n")
	if len(lines) > max(1, h) {
		t.Errorf("%d lines at %dx%d", len(lines), w, h)
	}
	for i, l := range lines {
		if ansi.StringWidth(l) > w {
			t.Errorf("line %d is wider than %d: %q", i+1, w, l)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != text {
		t.Errorf("%s is another frame (go test ./viewer -update rewrites it):\n%s", path, text)
	}
}
