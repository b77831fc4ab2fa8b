package viewer

import (
	tea "charm.land/bubbletea/v2"
)

var namedKeys = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
	"pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "space": {Code: tea.KeySpace, Text: " "}, "backspace": {Code: tea.KeyBackspace},
	"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
}

// keys presses keys; what is none of their names is typed. It returns the last command.
func keys(m *Model, pressed ...string) (last tea.Cmd) {
	if m.width == 0 {
		m.width, m.height = 80, 24
	}
	for _, p := range pressed {
		if k, ok := namedKeys[p]; ok {
			_, last = m.Update(tea.KeyPressMsg(k))
			continue
		}
		for _, r := range p {
			_, last = m.Update(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
		}
	}
	return last
}
