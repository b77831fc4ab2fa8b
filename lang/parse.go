package lang

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// Parse parses the text of a file. The File is never nil and holds every
// clause that parsed; the Diagnostics are in the order of their places, at most
// one a clause for its form, and further ones for the order of the clauses.
func Parse(src *Source) (*File, Diagnostics) {
	p := &parser{file: &File{Source: src}}
	if strings.HasPrefix(src.Text, "\xFF\xFE") || strings.HasPrefix(src.Text, "\xFE\xFF") {
		p.report(utf16File())
		return p.file, p.diagnostics
	}
	tokens, problems := scan(src)
	clauses := cut(tokens)
	p.reportFirstOfEach(clauses, problems)
	for _, c := range clauses {
		p.clause(c)
	}
	group(p, clauses)
	slices.SortStableFunc(p.diagnostics, func(a, b Diagnostic) int {
		return cmp.Compare(a.Span.Start, b.Span.Start)
	})
	return p.file, p.diagnostics
}

type parser struct {
	file        *File
	parsed      []Clause // one for each cut clause, nil where it has an error
	suspect     []bool   // one for each cut clause: the scanner has found something
	diagnostics Diagnostics
}

func (p *parser) report(d Diagnostic) {
	d.Source = p.file.Source
	end := len(d.Source.Text)
	d.Span = Span{min(d.Span.Start, end), min(max(d.Span.Start, d.Span.End), end)}
	for i := range d.Notes {
		d.Notes[i].Source = d.Source
	}
	p.diagnostics = append(p.diagnostics, d)
}

// reportFirstOfEach reports the first of the scanner's problems in each clause:
// the others are often its consequences.
func (p *parser) reportFirstOfEach(clauses []cutClause, problems Diagnostics) {
	p.suspect = make([]bool, len(clauses))
	slices.SortStableFunc(problems, func(a, b Diagnostic) int { return cmp.Compare(a.Span.Start, b.Span.Start) })
	last := -2
	for _, d := range problems {
		next, _ := slices.BinarySearchFunc(clauses, d.Span.Start+1, func(c cutClause, at int) int {
			return cmp.Compare(c.span.Start, at)
		})
		clause := next - 1 // before the first clause there is none
		if clause != last {
			p.report(d)
		}
		if last = clause; clause >= 0 {
			p.suspect[clause] = true
		}
	}
}

// clause parses one clause, and reports the first error in it.
func (p *parser) clause(c cutClause) {
	p.parsed = append(p.parsed, nil)
	if slices.ContainsFunc(c.tokens, func(t lexer.Token) bool { return t.Type == tokenBad }) {
		return // reported by the scanner
	}
	if slices.Contains(reservedWords, c.word) || c.word == "" {
		p.report(noClause(c))
		return
	}
	clause, err := parseClause(c)
	if err != nil {
		p.report(explain(c, err))
		return
	}
	if checked, ok := clause.(checker); ok {
		if d := checked.check(); d != nil {
			p.report(*d)
			return
		}
	}
	p.parsed[len(p.parsed)-1] = clause
	p.file.Clauses = append(p.file.Clauses, clause)
}

func parseClause(c cutClause) (Clause, error) {
	lex, err := lexer.Upgrade(&tokenList{tokens: c.tokens, end: c.span.End}, tokenSpace, tokenComment, tokenStray)
	if err != nil {
		return nil, err
	}
	return productions[c.word](lex)
}

// explain turns an error of the grammar into one for the reader.
func explain(c cutClause, err error) Diagnostic {
	if d, ok := errors.AsType[Diagnostic](err); ok {
		return d
	}
	at := c.span.End
	if unexpected, ok := errors.AsType[*participle.UnexpectedTokenError](err); ok {
		at = unexpected.Unexpected.Pos.Offset
	}
	words := wordsIn(c.tokens)
	index, _ := slices.BinarySearchFunc(words, at, func(w word, at int) int { return cmp.Compare(w.Pos.Offset, at) })
	s := &slip{clause: c, words: words, at: index}
	return s.explain()
}
