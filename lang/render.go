package lang

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// RenderOptions says how [Render] writes.
type RenderOptions struct {
	Color bool // with ANSI colors
}

// maxRendered is how many diagnostics of one file are written out; whoever has
// more fixes the first ones first.
const maxRendered = 20

// Render writes diagnostics for a person: place and summary, the line of the
// program, carets under the part at fault, notes and help. It writes no control
// character that comes from a program. Of each file it writes the first twenty
// and counts the others. The error is that of w.
func Render(w io.Writer, ds Diagnostics, opts RenderOptions) error {
	buffered := bufio.NewWriter(w)
	r := renderer{Writer: buffered, color: opts.Color}
	counts := map[*Source]int{}
	var sources []*Source
	for _, d := range ds {
		if counts[d.Source] == 0 {
			sources = append(sources, d.Source)
		}
		if counts[d.Source]++; counts[d.Source] <= maxRendered {
			r.diagnostic(d)
		}
	}
	for _, src := range sources {
		if more := counts[src] - maxRendered; more > 0 {
			r.more(src, more)
		}
	}
	return buffered.Flush()
}

type renderer struct {
	*bufio.Writer
	color bool
}

// The ANSI styles.
const (
	styleError   = "1;31"
	styleWarning = "1;33"
	styleBold    = "1"
	styleFrame   = "34"
)

func (r *renderer) paint(style, text string) string {
	if !r.color || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (r *renderer) diagnostic(d Diagnostic) {
	style := styleError
	if d.Severity == Warning {
		style = styleWarning
	}
	if d.Source != nil {
		r.place(d.Source, d.Span)
	}
	fmt.Fprintf(r, "%s: %s\n",
		r.paint(style, fmt.Sprintf("%s[%s]", d.Severity, d.Code)),
		r.paint(styleBold, printableLine(d.Summary)))
	if d.Source != nil {
		r.snippet(d.Source, d.Span, style, d.Label)
	}
	for _, n := range d.Notes {
		r.note(n)
	}
	if d.Help != "" {
		fmt.Fprintf(r, "   %s help: %s\n", r.paint(styleFrame, "="), printableLine(d.Help))
	}
}

func (r *renderer) note(n Note) {
	if n.Source == nil {
		fmt.Fprintf(r, "   %s note: %s\n", r.paint(styleFrame, "="), printableLine(n.Text))
		return
	}
	r.place(n.Source, n.Span)
	fmt.Fprintf(r, "note: %s\n", printableLine(n.Text))
	r.snippet(n.Source, n.Span, styleFrame, "")
}

func (r *renderer) place(src *Source, span Span) {
	at := src.Position(span.Start)
	fmt.Fprintf(r, "%s:%d:%d: ", printableLine(src.Name), at.Line, at.Column)
}

func (r *renderer) more(src *Source, count int) {
	name := ""
	if src != nil {
		name = printableLine(src.Name) + ": "
	}
	fmt.Fprintf(r, "%sand %d more\n", name, count)
}

// snippet writes the first line of a span with carets under it.
func (r *renderer) snippet(src *Source, span Span, style, label string) {
	at := src.Position(span.Start)
	text := src.line(at.Line)
	from := min(max(span.Start-src.lineStart(at.Line), 0), len(text))
	to := min(max(span.End-src.lineStart(at.Line), from), len(text))
	before, marked, after := window(text, from, to)
	number := fmt.Sprintf("%2d", at.Line)
	margin := strings.Repeat(" ", len(number))
	fmt.Fprintf(r, "%s %s%s%s\n", r.paint(styleFrame, number+" |"), shown(before), shown(marked), shown(after))
	carets := strings.Repeat("^", max(width(shown(marked)), 1))
	if label != "" {
		carets += " " + printableLine(label)
	}
	fmt.Fprintf(r, "%s %s%s\n", r.paint(styleFrame, margin+" |"), blank(before), r.paint(style, carets))
}

// The measures of a line of program that is too long to be shown whole.
const (
	windowWhole  = 240 // characters of a line that is shown whole
	windowBefore = 100 // characters of a line shown before the carets, at most
	windowMarked = 80  // under the carets
	windowAfter  = 60  // after them
)

// window cuts a line into what stands before, under and after the carets, and
// shortens each, so that a very long line stays readable.
func window(text string, from, to int) (before, marked, after string) {
	before, marked, after = text[:from], text[from:to], text[to:]
	if utf8.RuneCountInString(text) <= windowWhole {
		return before, marked, after
	}
	if start := len(before); utf8.RuneCountInString(before) > windowBefore {
		for range windowBefore {
			_, size := utf8.DecodeLastRuneInString(before[:start])
			start -= size
		}
		before = "…" + before[start:]
	}
	if head, cut := firstRunes(marked, windowMarked); cut {
		return before, head, "…"
	}
	if head, cut := firstRunes(after, windowAfter); cut {
		after = head + "…"
	}
	return before, marked, after
}

func firstRunes(text string, count int) (string, bool) {
	n := 0
	for i := range text {
		if n == count {
			return text[:i], true
		}
		n++
	}
	return text, false
}

// shown is a part of a source line as it is echoed; tabs stay tabs.
func shown(text string) string {
	return escape(text, func(r rune) bool { return r == '\t' })
}

// blank returns white space as wide as text is when echoed: a tab for a tab,
// an ideographic space for a wide character.
func blank(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return r
		case isWide(r):
			return '\u3000'
		}
		return ' '
	}, shown(text))
}

// width counts the terminal cells of an echoed text, a tab as one.
func width(text string) int {
	n := 0
	for _, r := range text {
		if n++; isWide(r) {
			n++
		}
	}
	return n
}

// isWide tells the characters that take two cells of a terminal: East Asian
// scripts and pictures.
func isWide(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0xffe0 && r <= 0xffe6, r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f900 && r <= 0x1f9ff,
		r >= 0x20000 && r <= 0x3fffd:
		return true
	}
	return false
}
