package viewer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/flowlang/flow/monitor"
)

// What comes to Update besides keys and the mouse.
type (
	tickMsg time.Time
	// seenMsg is what the source brought.
	seenMsg struct {
		runs []monitor.Snapshot
		err  error
	}
	// deadMsg are the dead letters of a run.
	deadMsg struct {
		run     string
		letters []monitor.DeadLetter
		err     error
	}
	// epochMsg is an epoch that was asked for.
	epochMsg struct {
		run  string
		mark monitor.Mark
		err  error
	}
	// doneMsg says what a command to a run led to.
	doneMsg struct {
		text string
		err  error
	}
	// overMsg says that all runs which the viewer was started with have ended.
	overMsg struct{}
)

// tickEvery is how often ages are drawn anew, and it is seen whether to look again.
const tickEvery = 250 * time.Millisecond

// askTimeout bounds what the source is asked for.
const askTimeout = 10 * time.Second

func tick() tea.Cmd { return tea.Tick(tickEvery, func(t time.Time) tea.Msg { return tickMsg(t) }) }

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tickMsg:
		m.now = time.Time(msg)
		if m.now.Before(m.nextLook) {
			return m, tea.Batch(tick(), m.refresh())
		}
		return m, tea.Batch(tick(), m.refresh(), m.look())
	case seenMsg:
		m.seen(msg)
	case deadMsg:
		m.tookDead(msg)
	case epochMsg:
		m.tookEpoch(msg)
	case doneMsg:
		m.say(good, msg.text)
		if msg.err != nil {
			m.say(alarm, msg.err.Error())
		}
		return m, tea.Batch(m.refresh(), m.look())
	case overMsg:
		return m, tea.Quit
	case tea.PasteMsg:
		m.typed(msg.Content)
	case tea.KeyPressMsg:
		return m, m.pressed(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg.Mouse())
	case tea.MouseClickMsg:
		return m, m.click(msg.Mouse())
	}
	return m, nil
}

// look asks the source once, unless it is being asked.
func (m *Model) look() tea.Cmd {
	if m.looking {
		return nil
	}
	m.looking = true
	source, focus := m.options.Source, m.focusID()
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		runs, err := source.Look(ctx, focus)
		return seenMsg{runs, err}
	}
}

// seen takes what came. The source is asked again after a while.
func (m *Model) seen(msg seenMsg) {
	now := time.Now()
	m.looked, m.looking, m.trouble = true, false, ""
	m.nextLook = now.Add(m.options.Every)
	if msg.err != nil {
		m.trouble = msg.err.Error()
	} else {
		m.observe(msg.runs, now)
	}
	if m.focus != "" {
		return
	}
	if m.focus = m.focusID(); m.focus != "" {
		m.places[runsScreen].key = m.focus
		m.nextLook = now // it was not asked for in full yet
	}
}

// refresh asks for what the screen shows besides snapshots.
func (m *Model) refresh() tea.Cmd {
	id := m.focusID()
	if m.screen != deadScreen || id == "" || m.frozen != nil || m.deadOf == id && m.now.Sub(m.deadAt) < 2*time.Second {
		return nil
	}
	if m.deadOf != id {
		m.dead, m.deadTrouble = nil, ""
	}
	m.deadOf, m.deadAt = id, m.now
	source := m.options.Source
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		letters, err := source.Dead(ctx, id)
		return deadMsg{id, letters, err}
	}
}

func (m *Model) tookDead(msg deadMsg) {
	if msg.run != m.deadOf || m.frozen != nil {
		return
	}
	m.deadTrouble = ""
	if msg.err != nil {
		m.deadTrouble = msg.err.Error()
		return
	}
	m.dead = msg.letters
}

func (m *Model) tookEpoch(msg epochMsg) {
	if msg.err != nil {
		m.say(alarm, msg.err.Error())
		return
	}
	m.asked, m.askedOf = &msg.mark, msg.run
	m.screen = epochScreen
	m.places[epochScreen] = place{key: epochKey(msg.mark), open: true}
}

func (m *Model) say(r role, text string) { m.note = note{text, r} }

// pressed does what a key asks for.
func (m *Model) pressed(key tea.KeyPressMsg) tea.Cmd {
	defer m.settle()
	name := key.String()
	if name == "ctrl+c" {
		return m.interrupt()
	}
	m.note = note{}
	switch {
	case m.question != nil:
		return m.answer(name)
	case m.prompt != 0:
		return m.edit(name, key.Text)
	}
	if m.help && name == "q" {
		m.help = false
		return nil
	}
	if len(name) == 1 && name[0] >= '1' && name[0] < '1'+byte(screens) {
		return m.open(screen(name[0] - '1'))
	}
	if do := onKey(name); do != nil {
		return do(m)
	}
	return nil
}

// settle keeps where lists and texts begin on the screen, for the next key to go on
// from there, and looks at the run that the list shows as the chosen one.
func (m *Model) settle() {
	if m.screen == runsScreen {
		if l := m.runsListing(m.width); len(l.keys) > 0 {
			m.choose(l.keys[l.index(m.places[runsScreen].key)])
		}
	}
	_, tops := m.draw(m.width, m.height)
	if m.width < leastWidth || m.height < leastHeight || m.help {
		return
	}
	m.places[m.screen].top, m.places[m.screen].detail = tops.list, tops.detail
}
