package viewer

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/flowlang/flow/lang"
)

// span is a piece of text of one role; a line is several of them.
type span struct {
	text string
	role role
}

type line []span

func (l line) add(r role, text string) line { return append(l, span{text, r}) }

// frame is what is on the screen, and what a click on it means.
type frame struct {
	lines []line
	zones []zone
}

// zone is a part of a line that can be clicked.
type zone struct {
	y, from, to int // columns from inclusive, to exclusive
	kind        zoneKind
	key         string // of a row
	number      int    // of a column or a screen
}

type zoneKind uint8

const (
	rowZone zoneKind = iota
	headerZone
	tabZone
)

// pen measures and cuts text as the terminal will show it.
type pen struct{ ascii bool }

var oneLine = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// clean is text that stays on its line and drives no terminal. A terminal that may
// not read UTF-8 gets ASCII only: it could take other bytes for control characters.
func (p pen) clean(text string) string {
	text = oneLine.Replace(lang.Printable(text))
	if !p.ascii {
		return text
	}
	return toASCII(text)
}

// ellipsis ends what was cut.
func (p pen) ellipsis() string {
	if p.ascii {
		return "~"
	}
	return "…"
}

func (p pen) width(text string) int { return ansi.StringWidth(p.clean(text)) }

// cut shortens a text to a width in cells. Where there is room for a sign only, it is
// the text's first one.
func (p pen) cut(text string, width int) string {
	switch {
	case width <= 0:
		return ""
	case width < 3:
		return ansi.Truncate(p.clean(text), width, "")
	}
	return ansi.Truncate(p.clean(text), width, p.ellipsis())
}

// left and right fill or cut a text to exactly a width.
func (p pen) left(text string, width int) string {
	text = p.cut(text, width)
	return text + strings.Repeat(" ", max(0, width-ansi.StringWidth(text)))
}

func (p pen) right(text string, width int) string {
	text = p.cut(text, width)
	return strings.Repeat(" ", max(0, width-ansi.StringWidth(text))) + text
}

// wrap puts a text behind a label, on as many lines as it takes.
func (p pen) wrap(label span, text span, width int) []line {
	indent := p.width(label.text)
	parts := strings.Split(ansi.Wrap(p.clean(text.text), max(10, width-indent-1), " "), "\n")
	lines := make([]line, len(parts))
	for i, part := range parts {
		if i > 0 {
			label.text = strings.Repeat(" ", indent)
		}
		lines[i] = line{label, {part, text.role}}
	}
	return lines
}

// length is a line's width in cells.
func (p pen) length(l line) int {
	n := 0
	for _, s := range l {
		n += p.width(s.text)
	}
	return n
}

// spread puts a line's end at the right edge, if both fit with a space between them.
func (p pen) spread(left, right line, width int) line {
	gap := width - p.length(left) - p.length(right)
	if gap < 1 {
		return left
	}
	return append(left.add(plain, strings.Repeat(" ", gap)), right...)
}

// text is the frame as the terminal gets it: the only place where text of a run, a
// server or a file becomes output. Lines are cut to the width, and there are exactly
// height of them.
func (f frame) text(p pen, width, height int, colors palette) string {
	var b strings.Builder
	for y := range height {
		if y > 0 {
			b.WriteByte('\n')
		}
		if y >= len(f.lines) {
			continue
		}
		left := width
		for _, s := range f.lines[y] {
			if left <= 0 {
				break
			}
			text := p.cut(s.text, left)
			left -= ansi.StringWidth(text)
			b.WriteString(colors.paint(s.role, text))
		}
	}
	return b.String()
}
