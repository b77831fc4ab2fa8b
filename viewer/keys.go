package viewer

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// binding is a key: its names as Bubble Tea tells them, what the help says, what it
// does. One whose help is with another key says nothing.
type binding struct {
	keys []string
	show string
	help string
	do   func(*Model) tea.Cmd
}

// bindings are all keys, in the order of the help.
func bindings() []binding {
	return []binding{
		{[]string{"up", "k"}, "up down j k", "a row up or down", move(-1)},
		{[]string{"down", "j"}, "", "", move(1)},
		{[]string{"pgup", "ctrl+b"}, "PgUp PgDn", "a page up or down", page(-1)},
		{[]string{"pgdown", "ctrl+f"}, "", "", page(1)},
		{[]string{"g", "home"}, "g G", "to the first or the last row", move(-far)},
		{[]string{"G", "end"}, "", "", move(far)},
		{[]string{"enter", "right", "l"}, "Enter", "into what is chosen", (*Model).enter},
		{[]string{"esc", "left", "h", "backspace"}, "Esc", "back", (*Model).back},
		{[]string{"tab"}, "Tab", "the next screen; Shift+Tab goes back", turn(1)},
		{[]string{"shift+tab"}, "", "", turn(-1)},
		{[]string{"1", "2", "3", "4", "5", "6"}, "1-6", "runs, run, epoch, dead letters, plan, log", nil}, // by pressed
		{[]string{"/"}, "/", "filter what is listed; Esc ends it", ask('/')},
		{[]string{"s"}, "s S", "sort by the next column; turn the order around", (*Model).sortNext},
		{[]string{"S"}, "", "", (*Model).sortReverse},
		{[]string{"space"}, "space", "freeze what is shown, and go on", (*Model).freeze},
		{[]string{":"}, ":", "a command, such as :epoch 812, :sort lag, :replay 812", ask(':')},
		{[]string{"e"}, "e", "the log's warnings and errors", (*Model).errors},
		{[]string{"d"}, "d", "dead letters", func(m *Model) tea.Cmd { return m.open(deadScreen) }},
		{[]string{"R"}, "R", "print what was made of the chosen epoch, again", (*Model).askReplay},
		{[]string{"p"}, "p", "pause or resume the run", (*Model).askPause},
		{[]string{"t"}, "t", "counts since the start, or since the viewer opened", (*Model).toggleTotals},
		{[]string{"?"}, "?", "this help", func(m *Model) tea.Cmd { m.help = !m.help; return nil }},
		{[]string{"q"}, "q", "quit", (*Model).quit},
	}
}

// far is farther than any list is long.
const far = 1 << 30

// onKey finds what a key does. (A table made once would refer to itself.)
func onKey(name string) func(*Model) tea.Cmd {
	for _, b := range bindings() {
		if slices.Contains(b.keys, name) {
			return b.do
		}
	}
	return nil
}
