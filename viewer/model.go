package viewer

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/flowlang/flow/monitor"
)

// Options are those of one viewer.
type Options struct {
	Source Source
	// Where says what the viewer looks at, such as "ctx prod"; empty shows each run's
	// own server.
	Where string
	// Flow opens the first run of that name at once, if it is not empty.
	Flow string
	// Every is how often the source is looked at; 0 is once a second.
	Every time.Duration
	// ASCII draws with ASCII only, and escapes other characters.
	ASCII bool
	// Color is auto, always or never; empty is auto.
	Color string
	// NoMouse leaves the mouse to the terminal.
	NoMouse bool
	// Interrupt stops the runs that the viewer was started with, as a signal would. It is
	// nil where the viewer started none: then it just ends.
	Interrupt func()
	// Over is closed once those runs have ended, which ends the viewer. It may be nil.
	Over <-chan struct{}
	// Replay prints what a run made of an epoch; nil where that cannot be done, or not
	// for this run.
	Replay func(r monitor.Run, epoch uint64) *Printing
}

// Model is the viewer's state. It is changed by Update only.
type Model struct {
	options       Options
	width, height int
	now           time.Time

	runs     []run // replaced, never changed, so that a frozen scene stays
	looked   bool  // the source has answered once
	looking  bool  // a question to the source is open
	nextLook time.Time
	trouble  string
	focus    string // the id of the chosen run

	screen screen
	places [screens]place
	frozen *scene

	dead        []monitor.DeadLetter
	deadOf      string // the run that they are of
	deadTrouble string
	deadAt      time.Time
	asked       *monitor.Mark // an epoch that was asked for by its number
	askedOf     string

	sinceOpen  bool // counts since the viewer opened, not since the run began
	errorsOnly bool // in the log
	help       bool
	prompt     rune // '/' or ':' while something is typed, else 0
	input      []rune
	question   *question
	note       note
}

// note is what the last key led to, until the next one.
type note struct {
	text string
	role role
}

// scene is what is drawn: the runs at a time.
type scene struct {
	runs []run
	now  time.Time
}

// New is a viewer that has not seen anything yet.
func New(o Options) *Model {
	o.Every = cmp.Or(o.Every, time.Second)
	m := &Model{options: o, now: time.Now()}
	if o.Flow != "" {
		m.screen = runScreen
	}
	return m
}

func (m *Model) scene() scene {
	if m.frozen != nil {
		return *m.frozen
	}
	return scene{m.runs, m.now}
}

func (m *Model) pen() pen       { return pen{m.options.ASCII} }
func (m *Model) glyphs() glyphs { return glyphs{m.options.ASCII} }

// focused is the run that is looked at: the chosen one, else the first one of the
// flow that was asked for, else the first one.
func (m *Model) focused(v scene) (run, bool) {
	if i := slices.IndexFunc(v.runs, func(r run) bool { return r.Run.ID == m.focus }); i >= 0 {
		return v.runs[i], true
	}
	if m.options.Flow != "" {
		i := slices.IndexFunc(v.runs, func(r run) bool { return r.Run.Flow == m.options.Flow })
		if i < 0 {
			return run{}, false
		}
		return v.runs[i], true
	}
	if len(v.runs) == 0 {
		return run{}, false
	}
	return v.runs[0], true
}

// focusID is the id of the run that is looked at; empty if there is none.
func (m *Model) focusID() string {
	r, _ := m.focused(m.scene())
	return r.Run.ID
}

// observe takes what the source brought.
func (m *Model) observe(seen []monitor.Snapshot, at time.Time) {
	runs := slices.Clone(m.runs)
	for _, s := range seen {
		i := slices.IndexFunc(runs, func(r run) bool { return r.Run.ID == s.Run.ID })
		if i < 0 {
			runs = append(runs, run{}.next(s, at))
			continue
		}
		runs[i] = runs[i].next(s, at)
	}
	runs = slices.DeleteFunc(runs, func(r run) bool { return r.silent(at) > forgetAfter && r.Run.ID != m.focus })
	sortRuns(runs)
	m.runs = runs
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd {
	over := m.options.Over
	if over == nil {
		return tea.Batch(m.look(), tick())
	}
	return tea.Batch(m.look(), tick(), func() tea.Msg {
		<-over
		return overMsg{}
	})
}

// View implements tea.Model.
func (m *Model) View() tea.View {
	f, _ := m.draw(m.width, m.height)
	v := tea.NewView(f.text(m.pen(), m.width, m.height, colored))
	v.AltScreen = true
	if !m.options.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}
