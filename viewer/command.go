package viewer

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/monitor"
)

// ask begins to take what is typed.
func ask(prompt rune) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		m.prompt, m.input = prompt, nil
		if prompt == '/' {
			m.input = []rune(m.places[m.screen].filter)
		}
		return nil
	}
}

// maxInput bounds what is typed or pasted, in characters.
const maxInput = 200

// typed adds text to what is typed.
func (m *Model) typed(text string) {
	if m.prompt == 0 {
		return
	}
	for _, r := range text {
		if len(m.input) < maxInput && r >= ' ' {
			m.input = append(m.input, r)
		}
	}
	m.filterAsTyped()
}

// edit takes a key while something is typed.
func (m *Model) edit(key, text string) tea.Cmd {
	switch key {
	case "esc":
		if m.prompt == '/' {
			m.places[m.screen].filter = ""
		}
		m.prompt = 0
	case "enter":
		prompt, input := m.prompt, strings.TrimSpace(string(m.input))
		m.prompt = 0
		if prompt == ':' {
			return m.command(input)
		}
	case "backspace":
		m.input = m.input[:max(0, len(m.input)-1)]
		m.filterAsTyped()
	case "ctrl+u":
		m.input = nil
		m.filterAsTyped()
	default:
		m.typed(text)
	}
	return nil
}

func (m *Model) filterAsTyped() {
	if m.prompt == '/' {
		m.places[m.screen].filter = string(m.input)
	}
}

// commands are the words after a colon, besides the names of the screens.
var commands = []string{"pause", "resume", "drain", "epoch", "replay", "run", "filter", "sort", "freeze", "totals", "help", "quit"}

// command does what was typed after a colon.
func (m *Model) command(text string) tea.Cmd {
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	for s := range screens {
		if word == s.String() && rest == "" {
			return m.open(s)
		}
	}
	switch word {
	case "":
		return nil
	case "run":
		return m.openRun(rest)
	case "epoch", "replay":
		return m.numbered(word, rest)
	case "pause":
		return m.askControl(monitor.Pause)
	case "resume":
		return m.askControl(monitor.Resume)
	case "drain":
		return m.askControl(monitor.Stop)
	case "filter":
		m.places[m.screen].filter = rest
		return nil
	case "sort":
		return m.sortNamed(rest)
	case "freeze":
		return m.freeze()
	case "totals":
		return m.toggleTotals()
	case "help":
		m.help = true
		return nil
	case "quit", "q":
		return m.quit()
	}
	said := fmt.Sprintf("no command %s", word)
	if near, ok := lang.Nearest(word, append(slices.Clone(commands), screenNames[:]...)); ok {
		said += "; did you mean :" + near + "?"
	}
	m.say(alarm, said)
	return nil
}

// openRun opens the first run of a flow.
func (m *Model) openRun(flow string) tea.Cmd {
	v := m.scene()
	i := slices.IndexFunc(v.runs, func(r run) bool { return r.Run.Flow == flow })
	if i < 0 {
		m.say(alarm, "no run of a flow "+flow)
		return nil
	}
	m.setFocus(v.runs[i].Run.ID)
	return m.open(runScreen)
}

// sortNamed sorts by the column of a name.
func (m *Model) sortNamed(name string) tea.Cmd {
	l, ok := m.listing()
	if !ok {
		m.say(alarm, "nothing to sort here")
		return nil
	}
	var titles []string
	for _, t := range l.titles {
		if strings.EqualFold(t.text, name) {
			m.sortBy(t.index + 1)
			return nil
		}
		titles = append(titles, strings.ToLower(t.text))
	}
	m.say(alarm, "columns are "+strings.Join(titles, ", "))
	return nil
}

// numbered is a command about an epoch.
func (m *Model) numbered(word, number string) tea.Cmd {
	n, err := strconv.ParseUint(strings.ReplaceAll(number, ",", ""), 10, 64)
	if err != nil || n == 0 {
		m.say(alarm, fmt.Sprintf(":%s takes the number of an epoch, such as :%s 812", word, word))
		return nil
	}
	r, ok := m.focused(m.scene())
	switch {
	case !ok:
		m.say(alarm, "no run is chosen")
		return nil
	case word == "replay":
		return m.askReplayOf(r, n)
	}
	for _, mark := range m.epochs(r) {
		if mark.Number == n {
			m.places[epochScreen] = place{key: epochKey(mark), open: true}
			return m.open(epochScreen)
		}
	}
	source, id := m.options.Source, r.Run.ID
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		mark, err := source.Epoch(ctx, id, n)
		return epochMsg{id, mark, err}
	}
}
