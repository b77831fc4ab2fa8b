package viewer

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/monitor"
)

// pressable are all keys that do something, and some that do not.
func pressable() []string {
	all := []string{"x", "Z", "é", "日", "ctrl+c", "backspace", "1", "2", "3", "4", "5", "6"}
	for _, b := range bindings() {
		for _, k := range b.keys {
			if _, named := namedKeys[k]; named || len(k) == 1 {
				all = append(all, k)
			}
		}
	}
	return all
}

// TestAnySizeAndKey draws after keys, clicks, wheels and sizes in any order: nothing
// panics, and no frame is larger than its screen.
func TestAnySizeAndKey(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pressed := pressable()
	sizes := []dimensions{{0, 0}, {1, 1}, {1, 60}, {200, 1}, {20, 5}, {79, 23}, {80, 24}, {81, 25}, {120, 40}, {200, 60}}
	for range 15 {
		m := watching(Options{}, append(runsOfAllStates(), hostileRun(), monitor.Snapshot{Run: monitor.Run{ID: "empty"}})...)
		m.dead, m.deadOf = orderLetters(), m.focus
		for range 60 {
			s := sizes[random.IntN(len(sizes))]
			m.Update(tea.WindowSizeMsg{Width: s.w, Height: s.h})
			switch random.IntN(6) {
			case 0:
				m.Update(tea.MouseClickMsg{X: random.IntN(s.w + 1), Y: random.IntN(s.h + 1), Button: tea.MouseLeft})
			case 1:
				m.Update(tea.MouseWheelMsg{Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[random.IntN(2)]})
			default:
				keys(m, pressed[random.IntN(len(pressed))])
			}
			rendered(t, m, s.w, s.h)
		}
	}
}

// TestNothingDrivesTheTerminal draws hostile text on every screen, whole and small, in
// both character sets: only the viewer's own colors are left as escape codes.
func TestNothingDrivesTheTerminal(t *testing.T) {
	letters := orderLetters()
	for i := range letters {
		l := &letters[i]
		for _, text := range []*string{&l.Resource, &l.Stream, &l.Subject, &l.Code, &l.Reason, &l.Place} {
			*text = hostile + *text
		}
		l.Headers, l.Body = map[string][]string{hostile: {hostile}}, []byte(hostile+string(l.Body))
	}
	for _, ascii := range []bool{false, true} {
		for _, s := range []dimensions{{200, 60}, {80, 24}, {30, 9}, {1, 1}} {
			for n := range screens {
				m := watching(Options{ASCII: ascii, Where: hostile}, hostileRun())
				m.width, m.height = s.w, s.h
				keys(m, string(rune('1'+n)))
				m.dead, m.deadOf, m.deadTrouble = letters, m.focus, hostile
				for _, more := range []string{"enter", "p", "esc", ":" + "xx", "enter"} {
					keys(m, more)
					check(t, m, ascii)
				}
				m.trouble = hostile
				check(t, m, ascii)
			}
		}
	}
}

// color is how the viewer paints, and the only escape code that it writes itself.
var color = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func check(t *testing.T, m *Model, ascii bool) {
	t.Helper()
	text := color.ReplaceAllString(m.View().Content, "")
	for i, l := range strings.Split(text, "\n") {
		if lang.Printable(l) != l || strings.Contains(l, "\t") {
			t.Errorf("screen %s, line %d would act on a terminal: %q", m.screen, i+1, l)
		}
		if ascii && strings.IndexFunc(l, func(r rune) bool { return r > '~' }) >= 0 {
			t.Errorf("screen %s, line %d is not ASCII: %q", m.screen, i+1, l)
		}
	}
}

func TestStatesAreTold(t *testing.T) {
	m := watching(Options{}, runsOfAllStates()...)
	m.width, m.height = 120, 40
	text := m.View().Content
	for state, l := range looks {
		if state == stale || state == gone {
			continue
		}
		if !strings.Contains(ansi.Strip(text), l.glyph+" "+l.word) {
			t.Errorf("%s has neither its glyph nor its word", state)
		}
	}
	for _, c := range []string{"38;5;33", "38;5;208"} { // blue, orange
		if !strings.Contains(text, c) {
			t.Errorf("the color %s is missing", c)
		}
	}
	for _, c := range []string{"[31m", "[32m", ";31m", ";32m"} { // red, green
		if strings.Contains(text, c) {
			t.Errorf("red or green tells a state: %s", c)
		}
	}
}

func TestOldIsNeverShownAsFresh(t *testing.T) {
	for _, c := range []struct {
		silent time.Duration
		shows  string
		fresh  bool
	}{{0, "RUNNING", true}, {2 * time.Second, "RUNNING", true}, {4 * time.Second, "STALE", false}, {time.Minute, "GONE", false}} {
		for n := range screens {
			m := silent(c.silent)
			keys(m, string(rune('1'+n)))
			text := rendered(t, m, 80, 24)
			if !strings.Contains(text, c.shows) {
				t.Errorf("screen %s after %s: expected %s, found\n%s", n, c.silent, c.shows, text)
			}
			if blue := strings.Contains(m.View().Content, "38;5;33"); blue && !c.fresh {
				t.Errorf("screen %s after %s is blue", n, c.silent)
			}
		}
	}
}

// TestDrawIsPure draws twice, with another size in between.
func TestDrawIsPure(t *testing.T) {
	for _, f := range frames {
		m := f.model()
		first := rendered(t, m, 80, 24)
		rendered(t, m, 13, 4)
		if again := rendered(t, m, 80, 24); again != first {
			t.Errorf("%s: another frame of the same state:\n%s\n%s", f.name, first, again)
		}
	}
}

// thousand is a run of a thousand resources.
func thousand() monitor.Snapshot {
	s := orders()
	s.Resources = nil
	for i := range 1000 {
		s.Resources = append(s.Resources, monitor.Resource{Name: fmt.Sprintf("resource_%04d", i), In: uint64(i * 7 % 1000), Out: uint64(i), Bytes: uint64(i) << 10, Last: uint64(i)})
	}
	return s
}

// BenchmarkFrame draws a run of a thousand resources, in order and sorted.
func BenchmarkFrame(b *testing.B) {
	for _, c := range []struct {
		name    string
		pressed []string
	}{{"in order", []string{"2"}}, {"sorted", []string{"2", "s", "s"}}, {"filtered", []string{"2", "/", "9", "enter"}}} {
		b.Run(c.name, func(b *testing.B) {
			m := onRun(thousand(), c.pressed...)
			m.width, m.height = 200, 60
			b.ReportAllocs()
			for b.Loop() {
				m.View()
			}
		})
	}
}

// TestThousandResources is about time as well: ten frames a second need less than a
// tenth of a second each, on the slowest machine.
func TestThousandResources(t *testing.T) {
	m := onRun(thousand(), "2", "s", "s", "G")
	began := time.Now()
	text := rendered(t, m, 80, 24)
	if took := time.Since(began); took > 100*time.Millisecond {
		t.Errorf("a frame took %s", took)
	}
	if !strings.Contains(text, ">resource_0858") {
		t.Errorf("expected the resource that read least at the end, found\n%s", text)
	}
}

func TestLossRisk(t *testing.T) {
	for _, c := range []struct {
		lag  monitor.Lag
		text string
		role role
	}{
		{monitor.Lag{Messages: 1, Seconds: 1, Loss: -1}, "", plain},
		{monitor.Lag{Messages: 0, Seconds: 0, Loss: 30}, "", plain},
		{monitor.Lag{Messages: 5, Seconds: 9, Loss: 2460}, "   loss risk 41m", plain},
		{monitor.Lag{Messages: 5, Seconds: 3600, Loss: 2460}, "   loss risk 41m", attention},
		{monitor.Lag{Messages: 5, Seconds: 86400, Loss: 2460}, "   loss risk 41m", alarm},
		{monitor.Lag{Messages: 5, Seconds: 1, Loss: 30}, "   loss risk 30s", alarm},
	} {
		l := lossRisk(c.lag)
		if c.text == "" && l == nil {
			continue
		}
		if len(l) != 1 || l[0].text != c.text || l[0].role != c.role {
			t.Errorf("%+v: found %+v", c.lag, l)
		}
	}
}
