package lang

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Printable returns s with everything that could drive a terminal replaced by
// a visible escape: control characters other than newline and tab, C1 controls,
// bidirectional and other invisible format controls, and bytes that are not
// UTF-8. Text without any of them is returned as it is.
func Printable(s string) string {
	return escape(s, func(r rune) bool { return r == '\n' || r == '\t' })
}

// printableLine is Printable for text that must stay on one line.
func printableLine(s string) string {
	return escape(s, func(rune) bool { return false })
}

func escape(s string, keep func(rune) bool) string {
	var b strings.Builder
	done := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if e := escapeRune(r, s[i:i+size]); e != "" && !keep(r) {
			b.WriteString(s[done:i])
			b.WriteString(e)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// escapeRune returns the visible form of a rune that needs one, else "".
func escapeRune(r rune, raw string) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x20 || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	case r >= 0x80 && r < 0xa0, isFormatControl(r):
		return fmt.Sprintf(`\u%04x`, r)
	}
	return ""
}

// isFormatControl tells the characters that reorder, hide or separate text
// without being seen.
func isFormatControl(r rune) bool {
	switch {
	case r == 0x061c, r == 0xfeff, r == 0x00ad, r == 0x180e:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	}
	return false
}
