package lang

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Span is a range of bytes in [Source.Text], from Start up to but not
// including End.
type Span struct{ Start, End int }

// Join returns the smallest span that holds both.
func (s Span) Join(other Span) Span {
	return Span{min(s.Start, other.Start), max(s.End, other.End)}
}

// A Position is a place as an editor shows it; both fields count from 1.
// Column counts characters, a tab or an invalid byte as one.
type Position struct{ Line, Column int }

// A Source is the text of one file. Its fields must not change once it has
// been parsed. It is safe for concurrent use.
type Source struct {
	Name string // as the user gave it
	Text string

	index      sync.Once
	lineStarts []int // byte offset at which each line starts
}

const byteOrderMark = "\uFEFF"

// Position returns the place of a byte offset. A byte order mark at the start
// of the file takes no column. An offset outside the text counts as its
// nearest end.
func (s *Source) Position(offset int) Position {
	offset = min(max(offset, 0), len(s.Text))
	line := s.lineOf(offset)
	start := s.lineStart(line)
	if offset < start {
		return Position{line, 1}
	}
	return Position{line, utf8.RuneCountInString(s.Text[start:offset]) + 1}
}

// line returns the text of a line, counted from 1, without its line end.
func (s *Source) line(number int) string {
	start := s.lineStart(number)
	text := s.Text[start:]
	if end := strings.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	return strings.TrimSuffix(text, "\r")
}

func (s *Source) lineOf(offset int) int {
	line, _ := slices.BinarySearch(s.lines(), offset+1)
	return line
}

func (s *Source) lineStart(number int) int {
	start := s.lines()[number-1]
	if number == 1 && strings.HasPrefix(s.Text, byteOrderMark) {
		return len(byteOrderMark)
	}
	return start
}

func (s *Source) lines() []int {
	s.index.Do(func() {
		s.lineStarts = []int{0}
		for i := range len(s.Text) {
			if s.Text[i] == '\n' {
				s.lineStarts = append(s.lineStarts, i+1)
			}
		}
	})
	return s.lineStarts
}
