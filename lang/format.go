package lang

import (
	"strings"
	"unicode"

	"github.com/alecthomas/participle/v2/lexer"
)

// Style is how [Format] lays out a program.
type Style int

// The styles.
const (
	Canonical Style = iota // a clause a line
	OneLine                // all on one line; line comments become block comments
)

// Format lays out a program anew. It changes white space only, and the marks of
// comments where [OneLine] asks for it; the meaning stays, and formatting twice
// is formatting once. A program with errors is not formatted: the text is then
// empty, and the diagnostics say why.
func Format(src *Source, style Style) (string, Diagnostics) {
	file, diagnostics := Parse(src)
	if diagnostics.HasErrors() {
		return "", diagnostics
	}
	tokens, _ := scan(src)
	f := formatter{style: style, items: itemsOf(tokens, cut(tokens)), spread: map[int]bool{}}
	f.markBetween()
	f.markExpressions(file)
	f.markKeys(file)
	f.markBraces()
	f.markBlanks()
	for i := range f.items {
		f.write(i)
	}
	f.out.WriteByte('\n')
	return f.out.String(), diagnostics
}

// An item is a token that is written: a word of the grammar or a comment.
type item struct {
	lexer.Token
	clause     *cutClause // the one that it is in; of a comment, the one before it
	next       *cutClause // of a comment, the clause of the next word; nil at the end
	between    bool       // it is a comment between two clauses
	first      bool       // of its clause
	newlines   int        // between it and the item before
	space      bool       // there is white space between it and the item before
	depth      int        // of brackets around it
	expression bool       // part of an expression, but not its first token
	blank      bool       // an empty line goes before it
}

func (i item) comment() bool { return i.Type == tokenComment }

// lineComment tells a comment that lasts to the end of its line.
func (i item) lineComment() bool { return i.comment() && !strings.HasPrefix(i.Value, "/*") }

func itemsOf(tokens []lexer.Token, clauses []cutClause) []item {
	var items []item
	var current *cutClause
	next, depth, newlines, space := 0, 0, 0, false
	for _, t := range tokens {
		if t.Type == tokenSpace {
			newlines += strings.Count(t.Value, "\n")
			space = true
			continue
		}
		it := item{Token: t, newlines: newlines, space: space}
		if next < len(clauses) && t.Pos.Offset == clauses[next].span.Start {
			current, it.first = &clauses[next], true
			next++
		}
		if isClosing(t) {
			depth--
		}
		it.clause, it.depth = current, depth
		if isOpening(t) {
			depth++
		}
		items = append(items, it)
		newlines, space = 0, false
	}
	return items
}

type formatter struct {
	style  Style
	items  []item
	spread map[int]bool // the indexes of braces whose content goes on lines of its own
	keys   map[int]bool // the offsets of the keys of connections' options
	named  bool         // in a flow with a name, which is indented
	out    strings.Builder
}

func (f *formatter) write(i int) {
	it := f.items[i]
	if it.first && it.clause.word == "flow" {
		f.named = true
	}
	switch {
	case i == 0:
	case f.breaks(i):
		if it.blank {
			f.out.WriteByte('\n')
		}
		f.out.WriteByte('\n')
		f.out.WriteString(strings.Repeat(" ", f.indent(i)))
	case f.spaced(i):
		f.out.WriteByte(' ')
	}
	f.out.WriteString(f.text(it))
}

// text is what is written of an item.
func (f *formatter) text(it item) string {
	if !it.comment() {
		return it.Value
	}
	if it.lineComment() {
		text := strings.TrimRightFunc(it.Value, unicode.IsSpace)
		if f.style == OneLine && strings.HasPrefix(text, "//") {
			return "/*" + strings.ReplaceAll(text[2:], "*/", "* /") + " */"
		}
		return text
	}
	if f.style == OneLine && strings.Contains(it.Value, "\n") {
		return strings.Join(strings.Fields(it.Value), " ")
	}
	return it.Value
}
