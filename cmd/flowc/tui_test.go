package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/internal/terminal"
)

// onTerminal starts flowc on a terminal of 80x24.
func onTerminal(t *testing.T, args ...string) *terminal.Terminal {
	t.Helper()
	return terminal.Start(t, 80, 24, environment(t, "LC_ALL=C.UTF-8"), append([]string{"flowc"}, args...)...)
}

func TestTUIWithoutATerminal(t *testing.T) {
	r := flowc(t, "", "run", "--tui", "--embedded", writeFile(t, "orders.flow", terminalFlow))
	if r.status != statusUsage || strings.Count(r.errs, "\n") != 1 || !strings.Contains(r.errs, "--tui needs a terminal") {
		t.Errorf("status %d\n%s", r.status, r.errs)
	}
}

// TestTUI looks at a run, and stops it as Ctrl-C does without a viewer.
func TestTUI(t *testing.T) {
	t.Parallel()
	flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"n": "a"})+seedLine(t, "orders.b", map[string]any{"n": hostile}))
	x := onTerminal(t, "run", "--tui", "--embedded", "--seed", seed, flow)
	x.Shows("flow orders  ▸ RUNNING", "OUT at least once", "[2 run]", "orders                       2          2")
	x.Keys("3")
	x.Shows("1 . ok", "stream SEED  sequences 1 to 2", "stream OUT  sequences 1 to 2")
	x.Keys("5")
	x.Shows("plan of", "flow orders (namespace default")
	x.Keys("6")
	x.Shows("admitted ledger=stream FLOW_LEDGER")
	x.Keys("p")
	x.Shows("orders was started without --allow-control")
	x.Keys("C-c")
	left := x.Ends(statusDone)
	for _, text := range []string{"closing the open epoch; a second", "orders: stopped after 1 certified epoch in", `{"n":"\u001b[2J\u001b]0;owned`} {
		if !strings.Contains(strings.ReplaceAll(left, "\n", ""), text) {
			t.Errorf("%q is missing on the screen that is left:\n%s", text, left)
		}
	}
	for _, text := range []string{"admitted", "[6 log]"} {
		if strings.Contains(left, text) {
			t.Errorf("%q is left on the screen:\n%s", text, left)
		}
	}
}

func TestTUIEndsWithItsRun(t *testing.T) {
	t.Parallel()
	flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"n": 1}))
	x := onTerminal(t, "run", "--tui", "--embedded", "--seed", seed, "--until", "caught-up", flow)
	x.Ends(statusDone)
	x.Shows("orders: caught up after 1 certified epoch")
}

// TestTUIControl pauses a run from its own screens, replays an epoch, and quits.
func TestTUIControl(t *testing.T) {
	t.Parallel()
	flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"n": 4711}))
	x := onTerminal(t, "run", "--tui", "--embedded", "--seed", seed, "--allow-control", "--expose-data", flow)
	x.Shows("flow orders  ▸ RUNNING", "orders                       1          1")
	x.Keys("p")
	x.Shows("pause orders on")
	x.Keys("y")
	x.Shows("▪ PAUSED")
	x.Keys("p")
	x.Shows("resume orders on")
	x.Keys("y")
	x.Shows("▸ RUNNING")
	x.Keys("3")
	x.Shows("1 . ok")
	x.Keys("R")
	x.Shows("print here what orders made of epoch 1? [y/N]")
	x.Keys("y")
	x.Shows(`"data":{"n":4711`, "Enter goes back to the viewer")
	x.Keys("Enter")
	x.Shows("epoch 1 was read again, and nothing was written", "EPOCH OUTCOME")
	x.Keys("q")
	x.Shows("close the open epoch, then stop? [y/N]")
	x.Keys("y")
	x.Ends(statusDone)
	x.Shows("orders: stopped after 1 certified epoch")
}

// TestTUISecondInterrupt aborts an epoch that the destination does not take.
func TestTUISecondInterrupt(t *testing.T) {
	w := newWorld(t)
	ice, file := w.behindIce()
	x := onTerminal(t, "run", "--tui", "--server", w.server.URL(), file)
	x.Shows("flow orders  ▸ RUNNING")
	ice.freeze()
	w.publish(50)
	ice.holds(t)
	x.Keys("C-c")
	x.Shows("closing the open epoch; Ctrl-C again aborts it")
	eventually(t, "the second one ends it", func() bool {
		x.Keys("C-c")
		return strings.Contains(x.Screen(), "ended with status")
	})
	x.Ends(statusSignal + int(syscall.SIGINT))
	x.Shows("a second signal: the open epoch was dropped")
}

// TestRunGoesOnWithoutItsViewer takes the screen away from a viewer: what was kept is
// printed, and the run comes to its end.
func TestRunGoesOnWithoutItsViewer(t *testing.T) {
	var out, errs output
	a := &app{in: strings.NewReader(""), terminal: &out, kinds: []connectors.Kind{nats.Kind()}, color: "auto", namespace: "default"}
	a.view = &view{app: a, out: &curtain{to: &out}, err: &curtain{to: &errs}, over: make(chan struct{})}
	a.out, a.errs = a.view.out, a.view.err
	flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"n": 1}))
	r := running{embedded: temporary, seed: seed, until: "caught-up", grace: time.Second, logFormat: "text"}
	if err := a.run(t.Context(), []string{flow}, r); err != nil {
		t.Fatal(err)
	}
	if text := errs.String(); !strings.Contains(text, "published the seed") || !strings.Contains(text, "the viewer has ended, and the run goes on") {
		t.Errorf("found on stderr\n%s", text)
	}
	if text := out.String(); !strings.Contains(text, "orders: caught up after 1 certified epoch") {
		t.Errorf("found on stdout\n%s", text)
	}
}

func TestCurtainKeepsSoMuch(t *testing.T) {
	var to output
	c := &curtain{to: &to}
	fmt.Fprint(muted{c}, "unseen")
	fmt.Fprint(c, "kept ")
	fmt.Fprint(c, strings.Repeat("x", maxKept))
	c.raise()
	fmt.Fprint(muted{c}, "seen")
	if want := fmt.Sprintf("kept ... and %d bytes more\nseen", maxKept); to.String() != want {
		t.Errorf("expected %q, found %q", want, to.String())
	}
}

// TestTUIEndsWhileAnEpochIsShown stops a run while what it made of an epoch is printed,
// and nobody presses Enter.
func TestTUIEndsWhileAnEpochIsShown(t *testing.T) {
	t.Parallel()
	flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"n": 4711}))
	x := onTerminal(t, "run", "--tui", "--embedded", "--seed", seed, "--allow-control", "--expose-data", flow)
	x.Shows("orders                       1          1")
	x.Type(":replay 1")
	x.Keys("Enter")
	x.Shows("[y/N]")
	x.Keys("y")
	x.Shows("Enter goes back to the viewer")
	x.Keys("C-c") // the terminal makes a signal of it here
	x.Ends(statusDone)
	x.Shows("orders: stopped after 1 certified epoch")
}
