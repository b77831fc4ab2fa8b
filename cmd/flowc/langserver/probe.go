package langserver

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/flowlang/flow/lang"
)

// probe finds what may stand at a cursor: it parses the text up to there with a
// word or a phrase added, and with what is open closed. What follows the cursor
// has no say. The clauses before the last good one are left out, since clauses
// are parsed each on its own.
type probe struct {
	before  string // from the last good clause to the word that is being written
	closers string // of the brackets that are open there
	opens   bool   // only white space stands before that word on its line
}

// maxProbe bounds what is parsed a few dozen times for one completion, in bytes.
const maxProbe = 16 << 10

// newProbe makes the probe for a word that starts at an offset. It is false
// where a clause is too long to try.
func newProbe(file *lang.File, start int) (probe, bool) {
	text, from := file.Source.Text, 0
	for _, c := range file.Clauses {
		if c.Span().Start < start {
			from = c.Span().Start
		}
	}
	if start-from > maxProbe {
		return probe{}, false
	}
	line := text[strings.LastIndexAny(text[:start], "\r\n")+1 : start]
	p := probe{before: text[from:start], opens: strings.TrimSpace(line) == ""}
	p.closers = closersOf(p.before + placeholder)
	return p, true
}

// wordStart is where the word begins that ends at an offset.
func wordStart(text string, end int) int {
	for end > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:end])
		if r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		end -= size
	}
	return end
}

// placeholder is a word that means nothing anywhere.
const placeholder = "placeholder"

// at is a place within what was added, so that nothing before it ends there.
func (p probe) at() int { return len(p.before) + 1 }

// word is the site of a word, or of a text, that is written at the cursor.
func (p probe) word() site {
	for _, tail := range []string{"", ` ""`} { // by itself, and as an option's key
		if s := p.site(placeholder + tail); s.kind != noSite {
			return s
		}
	}
	for _, quote := range []string{`"`, "`"} {
		p.closers = closersOf(p.before + placeholder + quote)
		if s := p.site(placeholder + quote); s.kind == textSite {
			return s
		}
	}
	return site{}
}

func (p probe) site(added string) site {
	for _, file := range p.parse(added) {
		if s := siteAt(file, p.at()); s.kind != noSite {
			return s
		}
	}
	return site{}
}

// clause tells if a clause may start at the cursor: behind a complete one, or at
// the start of a line, but not in brackets.
func (p probe) clause() bool {
	files := p.parse("drop " + placeholder)
	for i, file := range files {
		n := len(file.Clauses)
		if n == 0 || file.Clauses[n-1].Span().Start != len(p.before) {
			continue
		}
		if p.opens && i == len(files)-1 || n > 1 && strings.TrimSpace(p.before[file.Clauses[n-2].Span().End:]) == "" {
			return true
		}
	}
	return false
}

// phrase tells if words that are no names go on with the clause at the cursor.
func (p probe) phrase(words string) bool {
	return slices.ContainsFunc(p.parse(words), func(file *lang.File) bool {
		if len(file.Clauses) == 0 {
			return false
		}
		last := file.Clauses[len(file.Clauses)-1].Span()
		return last.Start < len(p.before) && last.End == len(p.before)+len(words) && siteAt(file, p.at()).kind == noSite
	})
}

// parse parses the text before the cursor with what is added, as it stands and,
// if brackets are open then, with them closed: an open one may belong to the
// clause at the cursor or to a broken one before it.
func (p probe) parse(added string) []*lang.File {
	file, _ := lang.Parse(&lang.Source{Text: p.before + added})
	if p.closers == "" {
		return []*lang.File{file}
	}
	closed, _ := lang.Parse(&lang.Source{Text: p.before + added + p.closers})
	return []*lang.File{file, closed}
}

// maxOpen bounds the brackets that are open at a cursor where completions are
// offered: finding each costs a parse.
const maxOpen = 8

// closersOf closes the brackets that are open at the end of a text; empty if none
// is, or too many are.
func closersOf(text string) string {
	closers := ""
	for range maxOpen + 1 {
		_, found := lang.Parse(&lang.Source{Text: text + closers})
		closer := missingCloser(found)
		if closer == "" {
			return closers
		}
		closers = closer + closers
	}
	return ""
}

// unclosedBracket is the code of a bracket without a partner.
const unclosedBracket lang.Code = "F1009"

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// missingCloser is what closes the outermost open bracket; empty if none is open.
func missingCloser(found lang.Diagnostics) string {
	for _, d := range found {
		if d.Code != unclosedBracket {
			continue
		}
		if closer, ok := closing[d.Source.Text[d.Span.Start:d.Span.End]]; ok {
			return closer
		}
	}
	return ""
}
