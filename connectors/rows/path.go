package rows

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// step leads from a value into one of its members or elements.
type step struct {
	name   string
	member bool
	index  int
}

// path leads from a row to a value in it.
type path []step

// maxPathName bounds what one member name adds to a message, in bytes.
const maxPathName = 64

// String reads like an expression: order.tags[3].
func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case !s.member:
			b.WriteByte('[')
			b.WriteString(strconv.Itoa(s.index))
			b.WriteByte(']')
			continue
		case i > 0:
			b.WriteByte('.')
		}
		b.WriteString(plainName(shorten(s.name)))
	}
	return b.String()
}

// shorten cuts a long name at a character's edge.
func shorten(name string) string {
	if len(name) <= maxPathName {
		return name
	}
	end := maxPathName
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}
