package viewer

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/flowlang/flow/monitor"
)

// recorded is a source of snapshots that were recorded, which remembers what it was
// asked to do.
type recorded struct {
	runs    []monitor.Snapshot
	err     error
	focus   string
	control []monitor.Command
}

func (r *recorded) Look(_ context.Context, focus string) ([]monitor.Snapshot, error) {
	r.focus = focus
	return r.runs, r.err
}

func (r *recorded) Dead(context.Context, string) ([]monitor.DeadLetter, error) {
	return orderLetters(), nil
}

func (r *recorded) Epoch(_ context.Context, _ string, n uint64) (monitor.Mark, error) {
	if n > 1000 {
		return monitor.Mark{}, errors.New("the ledger has no such certificate")
	}
	return ordersMark(n, monitor.OK, taken), nil
}

func (r *recorded) Control(_ context.Context, _ string, c monitor.Command) (monitor.State, error) {
	r.control = append(r.control, c)
	return monitor.Paused, nil
}

// answer runs a command and gives its message to the model.
func answer(t *testing.T, m *Model, cmd tea.Cmd) {
	t.Helper()
	if cmd == nil {
		t.Fatal("expected a command")
	}
	m.Update(cmd())
}

func shows(t *testing.T, m *Model, texts ...string) {
	t.Helper()
	text := rendered(t, m, 80, 24)
	for _, want := range texts {
		if !strings.Contains(text, want) {
			t.Errorf("expected %q, found\n%s", want, text)
		}
	}
}

func TestKeysMoveAmongRunsAndScreens(t *testing.T) {
	m := watching(Options{}, runsOfAllStates()...)
	keys(m, "G")
	shows(t, m, ">▴ WAITING")
	keys(m, "k", "up", "down")
	shows(t, m, ">◌ STARTING")
	keys(m, "g", "enter")
	shows(t, m, "flow flow-blocked", "[2 run]")
	keys(m, "j")
	shows(t, m, ">orders_paid")
	keys(m, "enter")
	shows(t, m, "[3 epoch]")
	keys(m, "esc", "esc")
	shows(t, m, "[1 runs]", ">✕ BLOCKED")
	for _, name := range screenNames[1:] {
		keys(m, "tab")
		shows(t, m, name+"]")
	}
	keys(m, "tab")
	shows(t, m, "[1 runs]")
	keys(m, "shift+tab")
	shows(t, m, "[6 log]")
}

func TestFilterAndSortStayOnTheirScreen(t *testing.T) {
	m := onRun(orders(), "2", "/", "PAID")
	shows(t, m, "/PAID_", ">orders_paid")
	keys(m, "enter")
	shows(t, m, "   /PAID")
	if strings.Contains(rendered(t, m, 80, 24), "orders_created") {
		t.Error("the filter shows what does not match")
	}
	keys(m, "3")
	shows(t, m, "811 . ok")
	keys(m, "2", "esc")
	shows(t, m, "orders_created")
	keys(m, ":", "sort dead", "enter")
	shows(t, m, "DEAD▼")
	keys(m, "S")
	shows(t, m, "DEAD▲")
	keys(m, ":", "sort nosuch", "enter")
	shows(t, m, "columns are resource, in, out")
}

// TestLastSequenceIsSortedAsShown: counts may be shown since the viewer opened, and a
// sequence is none.
func TestLastSequenceIsSortedAsShown(t *testing.T) {
	m := onRun(orders(), "2", "t", ":", "sort last seq", "enter")
	grown := later(orders(), 3*time.Second)
	grown.Resources[0].Last += 1000
	m.take([]monitor.Snapshot{grown})
	keys(m, "g")
	shows(t, m, "LAST SEQ▼", ">orders_returned")
}

func TestFreezeKeepsWhatIsShown(t *testing.T) {
	m := onRun(orders(), "2", "space")
	before := rendered(t, m, 80, 24)
	m.now = m.now.Add(time.Second)
	m.take([]monitor.Snapshot{later(orders(), 3*time.Second)})
	if after := rendered(t, m, 80, 24); strings.ReplaceAll(after, "FROZEN 1.0s", "FROZEN 0.0s") != before {
		t.Errorf("frozen, and another frame:\n%s", after)
	}
	keys(m, "space")
	shows(t, m, "1,608,409") // what came meanwhile
}

func TestMouse(t *testing.T) {
	m := watching(Options{}, runsOfAllStates()...)
	m.width, m.height = 80, 24
	click := func(x, y int) { m.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(20, 4)
	shows(t, m, ">✓ ENDED")
	click(20, 4)
	shows(t, m, "[2 run]", "flow flow-ended")
	click(30, 7) // the title IN
	shows(t, m, "IN▼")
	click(30, 7)
	shows(t, m, "IN▲")
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	shows(t, m, ">orders_created")
	click(40, 23) // a screen in the footer
	shows(t, m, "[6 log]")
}

func TestControlAsksFirst(t *testing.T) {
	source := &recorded{}
	m := watching(Options{Source: source}, orders())
	keys(m, "2", "p")
	shows(t, m, "pause orders on mill, process 4711? [y/N]")
	keys(m, "n")
	shows(t, m, "nothing was done")
	keys(m, "p", "enter")
	if source.control != nil {
		t.Errorf("not confirmed, and %v was done", source.control)
	}
	answer(t, m, keys(m, "p", "y"))
	shows(t, m, "orders was told to pause")
	answer(t, m, keys(m, ":", "drain", "enter", "y"))
	if len(source.control) != 2 || source.control[0] != monitor.Pause || source.control[1] != monitor.Stop {
		t.Errorf("expected pause and stop, found %v", source.control)
	}
}

func TestPausedRunIsResumed(t *testing.T) {
	source := &recorded{}
	s := orders()
	s.State = monitor.Paused
	m := watching(Options{Source: source}, s)
	answer(t, m, keys(m, "p", "y"))
	if len(source.control) != 1 || source.control[0] != monitor.Resume {
		t.Errorf("expected resume, found %v", source.control)
	}
}

func TestRunWithoutControlIsNotTouched(t *testing.T) {
	source := &recorded{}
	s := orders()
	s.Run.Control = false
	m := watching(Options{Source: source}, s)
	for _, c := range []string{"pause", "resume", "drain", "replay 811"} {
		keys(m, ":", c, "enter")
		shows(t, m, "without --allow-control")
		keys(m, "y")
	}
	if m.question != nil || source.control != nil {
		t.Errorf("a run without --allow-control was asked: %v", source.control)
	}
}

func TestEpochByNumber(t *testing.T) {
	m := watching(Options{Source: &recorded{}}, orders())
	answer(t, m, keys(m, ":", "epoch 17", "enter"))
	shows(t, m, "epoch 17 ─", "sequences 17,000 to 17,999", "crc32c 1d6f04a2")
	answer(t, m, keys(m, "esc", ":", "epoch 2000", "enter"))
	shows(t, m, "no such certificate")
	keys(m, ":", "epoch x", "enter")
	shows(t, m, ":epoch takes the number")
	keys(m, ":", "epoch 802", "enter")
	shows(t, m, "epoch 802 ─", "did not acknowledge within 5s")
}

func TestQuit(t *testing.T) {
	m := watching(Options{}, orders())
	if _, ok := keys(m, "q")().(tea.QuitMsg); !ok {
		t.Error("q does not quit a viewer that started no run")
	}
	if _, ok := keys(m, "ctrl+c")().(tea.QuitMsg); !ok {
		t.Error("Ctrl-C does not quit")
	}
	interrupted := 0
	m = watching(Options{Interrupt: func() { interrupted++ }}, orders())
	if keys(m, "q"); interrupted != 0 {
		t.Error("q stops a run without asking")
	}
	keys(m, "n", "q", "y")
	keys(m, "ctrl+c")
	if interrupted != 2 {
		t.Errorf("expected two signals, found %d", interrupted)
	}
}

func TestTroubleIsShownUntilItIsOver(t *testing.T) {
	source := &recorded{err: errors.New("disconnected from nats://x for 2.0s")}
	m := New(Options{Source: source})
	m.width, m.height = 80, 24
	answer(t, m, m.look())
	shows(t, m, "disconnected from nats://x")
	source.err, source.runs = nil, []monitor.Snapshot{orders()}
	answer(t, m, m.look())
	shows(t, m, "RUNNING")
	if m.trouble != "" || m.focus != "orders-1" {
		t.Errorf("trouble %q, focus %q", m.trouble, m.focus)
	}
	answer(t, m, m.look())
	if source.focus != "orders-1" {
		t.Errorf("the chosen run is not asked for in full: %q", source.focus)
	}
}

func TestFirstRunIsAskedForInFullAtOnce(t *testing.T) {
	source := &recorded{}
	m := New(Options{Source: source})
	answer(t, m, m.look())
	if m.nextLook.Before(time.Now()) {
		t.Error("a source without runs is asked without a pause")
	}
	source.runs = []monitor.Snapshot{orders()}
	answer(t, m, m.look())
	if m.nextLook.After(time.Now()) {
		t.Error("the first run that is seen has to wait until it is asked for in full")
	}
	answer(t, m, m.look())
	if source.focus != "orders-1" || m.nextLook.Before(time.Now()) {
		t.Errorf("asked for %q in full, and again at %s", source.focus, m.nextLook)
	}
}

func TestOnceIsPlain(t *testing.T) {
	source := &recorded{runs: []monitor.Snapshot{hostileRun()}}
	for _, flow := range []string{"", hostileRun().Run.Flow} {
		text, err := Once(t.Context(), Options{Source: source, Flow: flow}, 0)
		if err != nil || strings.ContainsRune(text, '\x1b') || !strings.Contains(text, "RUNNING") || !strings.Contains(text, `\x1b[2J`) {
			t.Errorf("%v\n%q", err, text)
		}
	}
}

func TestOnlyASCII(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm", "LANG": "de_CH.UTF-8"}, false},
		{map[string]string{"TERM": "xterm", "LANG": "C.utf8"}, false},
		{map[string]string{"TERM": "xterm", "LC_ALL": "C", "LANG": "de_CH.UTF-8"}, true},
		{map[string]string{"TERM": "xterm"}, true},
		{map[string]string{"TERM": "linux", "LANG": "C.UTF-8"}, true},
		{map[string]string{"TERM": "dumb", "LANG": "C.UTF-8"}, true},
	} {
		if got := OnlyASCII(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: expected %t, found %t", c.env, c.want, got)
		}
	}
}

func TestFormats(t *testing.T) {
	for got, want := range map[string]string{
		short(812): "812", short(4100): "4.1k", short(12_400_000): "12M", short(999_999): "1.0M", short(-1): "-",
		age(400 * time.Millisecond): "0.4s", age(41 * time.Minute): "41m", age(192 * time.Minute): "3h12m", age(52 * time.Hour): "2d4h", age(90 * time.Second): "1m30s",
		brief(0.02): ".02", brief(1): "1.0s", brief(0): ".00", sizeOf(15_938_355, 16<<20): "15.2/16 MiB", count(12_408, 9): "12,408", count(1_234_567_890, 9): "1.2G",
		seconds(-1): "-",
	} {
		if got != want {
			t.Errorf("expected %s, found %s", want, got)
		}
	}
}
