package langserver

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/flowlang/flow/lang"
)

// lines converts between byte offsets of a text and positions of the protocol,
// which count lines from 0 and characters in UTF-16 units. A byte that is not
// UTF-8 counts as one unit.
type lines struct {
	text   string
	starts []int // byte offsets
}

// newLines finds the lines of a text; they end with \n, \r\n or \r.
func newLines(text string) lines {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			starts = append(starts, i+1)
		}
	}
	return lines{text, starts}
}

// position is that of an offset; outside of the text, that of its nearest end.
func (l lines) position(offset int) position {
	offset = min(max(offset, 0), len(l.text))
	next, _ := slices.BinarySearch(l.starts, offset+1)
	units := 0
	for _, r := range l.text[l.starts[next-1]:offset] {
		units += unitsOf(r)
	}
	return position{Line: next - 1, Character: units}
}

// offset is that of a position. A position behind its line is the line's end,
// one behind the text the text's end, and one within a character its start.
func (l lines) offset(p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= len(l.starts) {
		return len(l.text)
	}
	start := l.starts[p.Line]
	units := 0
	for i, r := range l.line(p.Line) {
		if units += unitsOf(r); units > p.Character {
			return start + i
		}
	}
	return start + len(l.line(p.Line))
}

// line is a line without its end.
func (l lines) line(number int) string {
	end := len(l.text)
	if number+1 < len(l.starts) {
		end = l.starts[number+1]
	}
	return strings.TrimRight(l.text[l.starts[number]:end], "\r\n")
}

func (l lines) rangeOf(s lang.Span) textRange {
	return textRange{Start: l.position(s.Start), End: l.position(s.End)}
}

// spanOf is the reverse of rangeOf; a range whose end comes first is empty.
func (l lines) spanOf(r textRange) lang.Span {
	start := l.offset(r.Start)
	return lang.Span{Start: start, End: max(start, l.offset(r.End))}
}

func unitsOf(r rune) int {
	if r > 0xFFFF && r <= utf8.MaxRune {
		return 2
	}
	return 1
}
