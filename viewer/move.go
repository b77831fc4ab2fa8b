package viewer

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// move goes up or down by rows, or by lines where the screen has none.
func move(by int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		m.moveBy(by)
		return nil
	}
}

func page(by int) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		m.moveBy(by * max(1, m.height-12))
		return nil
	}
}

func (m *Model) moveBy(by int) {
	at := &m.places[m.screen]
	switch {
	case m.help: // fits on the least screen
	case m.width < leastWidth || m.height < leastHeight:
		m.moveFocus(by)
	case m.screen == planScreen:
		at.top = max(0, at.top+by)
	case m.screen == logScreen:
		at.top = max(0, at.top-by) // from the end
	case at.open:
		at.detail = max(0, at.detail+by)
	default:
		m.moveRow(by)
	}
}

func clampTo(i, n int) int { return max(0, min(i, n-1)) }

func (m *Model) moveRow(by int) {
	l, ok := m.listing()
	if !ok || len(l.keys) == 0 {
		return
	}
	m.choose(l.keys[clampTo(l.index(m.places[m.screen].key)+by, len(l.keys))])
}

// moveFocus goes through the runs, where the screen shows one alone.
func (m *Model) moveFocus(by int) {
	v := m.scene()
	r, ok := m.focused(v)
	if !ok {
		return
	}
	i := slices.IndexFunc(v.runs, func(x run) bool { return x.Run.ID == r.Run.ID })
	m.focus = v.runs[clampTo(i+by, len(v.runs))].Run.ID
}

// choose makes a row the chosen one.
func (m *Model) choose(key string) {
	m.places[m.screen].key = key
	if m.screen == runsScreen {
		m.setFocus(key)
	}
}

// setFocus looks at another run, from the top of each screen.
func (m *Model) setFocus(id string) {
	if id == m.focus {
		return
	}
	m.focus = id
	for s := runScreen; s < screens; s++ {
		m.places[s] = place{sort: m.places[s].sort, reverse: m.places[s].reverse}
	}
}

// enter goes into what is chosen.
func (m *Model) enter() tea.Cmd {
	switch m.screen {
	case runsScreen:
		return m.open(runScreen)
	case runScreen:
		return m.open(epochScreen)
	case epochScreen, deadScreen:
		m.places[m.screen].open, m.places[m.screen].detail = true, 0
	}
	return nil
}

// back undoes what led here: the help, a filter, what fills the screen, the screen.
func (m *Model) back() tea.Cmd {
	at := &m.places[m.screen]
	switch {
	case m.help:
		m.help = false
	case at.open:
		at.open = false
	case at.filter != "":
		at.filter = ""
	case m.screen == runScreen:
		return m.open(runsScreen)
	case m.screen != runsScreen:
		return m.open(runScreen)
	}
	return nil
}

// open goes to a screen.
func (m *Model) open(s screen) tea.Cmd {
	m.screen, m.help = s, false
	if s == runsScreen {
		m.places[s].key = m.focusID()
	}
	return tea.Batch(m.refresh(), m.look())
}

func turn(by screen) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.open((m.screen + by + screens) % screens) }
}

// sortNext sorts by the next of the columns that are shown, and at last by none.
func (m *Model) sortNext() tea.Cmd {
	l, ok := m.listing()
	if !ok {
		return nil
	}
	at := &m.places[m.screen]
	next := 0
	for _, t := range l.titles {
		if t.index+1 > at.sort && t.text != "" {
			next = t.index + 1
			break
		}
	}
	m.sortBy(next)
	return nil
}

// sortBy sorts by a column; once more turns the order around.
func (m *Model) sortBy(column int) {
	at := &m.places[m.screen]
	at.reverse = at.sort == column && column > 0 && !at.reverse
	at.sort = column
}

func (m *Model) sortReverse() tea.Cmd {
	m.places[m.screen].reverse = !m.places[m.screen].reverse
	return nil
}

// freeze keeps what is shown as it is, or goes on.
func (m *Model) freeze() tea.Cmd {
	if m.frozen != nil {
		m.frozen = nil
		return nil
	}
	m.frozen = &scene{m.runs, m.now}
	return nil
}

func (m *Model) errors() tea.Cmd {
	m.errorsOnly = m.screen != logScreen || !m.errorsOnly
	m.places[logScreen].top = 0
	return m.open(logScreen)
}

func (m *Model) toggleTotals() tea.Cmd {
	m.sinceOpen = !m.sinceOpen
	m.say(plain, "counts since the run began")
	if m.sinceOpen {
		m.say(plain, "counts since the viewer opened")
	}
	return nil
}
