package viewer

import "github.com/charmbracelet/x/ansi"

// palette is how each role is painted. The zero palette paints nothing.
type palette map[role]ansi.Style

// Blue and orange are told apart by those who cannot tell red from green. Bubble Tea
// turns them into what the terminal has, and leaves them out where NO_COLOR is set.
var colored = palette{
	dim:       ansi.NewStyle().Faint(),
	strong:    ansi.NewStyle().Bold(),
	good:      ansi.NewStyle().Bold().ForegroundColor(ansi.IndexedColor(33)),
	attention: ansi.NewStyle().ForegroundColor(ansi.IndexedColor(208)),
	alarm:     ansi.NewStyle().Bold().ForegroundColor(ansi.IndexedColor(208)),
	inverse:   ansi.NewStyle().Reverse(true),
	heading:   ansi.NewStyle().Bold().Underline(true),
}

func (p palette) paint(r role, text string) string {
	style, ok := p[r]
	if !ok || text == "" {
		return text
	}
	return style.Styled(text)
}
