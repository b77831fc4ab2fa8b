package viewer

import tea "charm.land/bubbletea/v2"

// wheel goes by rows, as the arrows do.
func (m *Model) wheel(at tea.Mouse) {
	if m.question != nil || m.prompt != 0 {
		return
	}
	switch at.Button {
	case tea.MouseWheelUp:
		m.moveBy(-3)
	case tea.MouseWheelDown:
		m.moveBy(3)
	}
	m.settle()
}

// click chooses a row, goes into the chosen one, sorts by a title, or goes to a screen.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if m.question != nil || m.prompt != 0 || at.Button != tea.MouseLeft {
		return nil
	}
	m.note = note{}
	f, _ := m.draw(m.width, m.height)
	for _, z := range f.zones {
		if at.Y != z.y || at.X < z.from || at.X >= z.to {
			continue
		}
		cmd := m.clicked(z)
		m.settle()
		return cmd
	}
	return nil
}

func (m *Model) clicked(z zone) tea.Cmd {
	switch z.kind {
	case headerZone:
		m.sortBy(z.number)
	case tabZone:
		return m.open(screen(z.number))
	default:
		if l, ok := m.listing(); ok && len(l.keys) > 0 && l.keys[l.index(m.places[m.screen].key)] == z.key && m.places[m.screen].key != "" {
			return m.enter()
		}
		m.choose(z.key)
	}
	return nil
}
