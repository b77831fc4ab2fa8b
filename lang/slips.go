package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// A slip is a clause whose form is wrong at one of its words. Its methods each
// know one common mistake; the first that recognizes it explains it.
type slip struct {
	clause cutClause
	words  []word
	at     int // index of the word that does not fit; len(words) at the end
}

func (s *slip) explain() Diagnostic {
	for _, known := range []func() (Diagnostic, bool){
		s.swallowedClause,
		s.misspeltClause,
		s.misspeltKeyword,
		s.colonAfterWord,
		s.between,
		s.braces,
		s.separator,
		s.whenAndOtherwise,
		s.secondOperand,
		s.singleQuotes,
		s.unquotedHole,
		s.unquotedURL,
		s.equalsSign,
		s.unquotedText,
		s.unquotedElement,
		s.selectWithoutBraces,
		s.quotedName,
		s.unnamedColumn,
		s.missingColon,
		s.referenceWithoutName,
		s.missingValue,
	} {
		if d, ok := known(); ok {
			return d
		}
	}
	return s.unexpected()
}

// word returns the ith word from the one that does not fit; far outside, it is
// a token of no kind.
func (s *slip) word(i int) lexer.Token {
	if i += s.at; i < 0 || i >= len(s.words) {
		return lexer.Token{}
	}
	return s.words[i].Token
}

func (s *slip) span() Span {
	if s.at >= len(s.words) {
		return Span{s.clause.span.End, s.clause.span.End}
	}
	return tokenSpan(s.words[s.at].Token)
}

// inBrackets tells if the word that does not fit stands between brackets.
func (s *slip) inBrackets() bool {
	depth := 0
	for _, w := range s.words[:min(s.at, len(s.words))] {
		switch {
		case isOpening(w.Token):
			depth++
		case isClosing(w.Token):
			depth--
		}
	}
	return depth > 0
}

func (s *slip) whenAndOtherwise() (Diagnostic, bool) {
	t := s.word(0)
	if s.clause.word != "to" || t.Value != "when" && t.Value != "otherwise" {
		return Diagnostic{}, false
	}
	return Diagnostic{
		Code: "F1001", Span: s.span(), Summary: "a `to` has `when` or `otherwise`, not both",
		Help: "`otherwise` takes the rows that no `when` of the flow took",
	}, true
}

// otherOperators are what other languages have for an operator.
var otherOperators = map[string]string{
	"is":      "write `x == nil` or `x != nil` to test for null",
	"like":    "write `x contains \"...\"`, `x startsWith \"...\"` or `x matches \"...\"`",
	"between": "write `x >= 1 and x <= 9`",
	"xor":     "write `x != y`",
}

// secondOperand finds an expression that has ended where it should go on.
func (s *slip) secondOperand() (Diagnostic, bool) {
	conditional := slices.ContainsFunc(s.words[:min(s.at, len(s.words))], func(w word) bool { return w.Value == "when" })
	if s.clause.word != "where" && !(s.clause.word == "to" && conditional) || s.at >= len(s.words) {
		return Diagnostic{}, false
	}
	t := s.word(0)
	d := Diagnostic{
		Code: "F1030", Span: s.span(), Summary: fmt.Sprintf("expected an operator or the next clause, found %s", quote(t.Value)),
		Label: "the expression ends before this",
		Help:  "join two conditions with `and` or `or`; text stands in quotes",
	}
	if help, ok := otherOperators[strings.ToLower(t.Value)]; ok {
		d.Help = help
	} else if meant, ok := Nearest(t.Value, wordOperators); ok && isWord(t) && (len(t.Value) > 3 || strings.EqualFold(meant, t.Value)) {
		d.Label = fmt.Sprintf("did you mean `%s`?", meant)
	}
	return d, true
}

func (s *slip) selectWithoutBraces() (Diagnostic, bool) {
	if s.clause.word != "select" || s.at != 1 || s.at >= len(s.words) {
		return Diagnostic{}, false
	}
	return Diagnostic{
		Code: "F1015", Span: s.span(), Summary: "the columns of a `select` stand in braces",
		Help: "write `select { id, total: amount * qty, ... }`; `...` stands for all other columns",
	}, true
}

// unnamedColumn finds a computed column, which starts like a column's name.
func (s *slip) unnamedColumn() (Diagnostic, bool) {
	t := s.word(0)
	if s.clause.word != "select" || s.at < 3 || t.Type != tokenPunct || isClosing(t) || isPunct(t, ":") || isPunct(t, ",") {
		return Diagnostic{}, false
	}
	return Diagnostic{
		Code: "F1001", Span: s.span(), Summary: "a computed column needs a name before it",
		Label: "an expression, not just a column",
		Help:  "write `NAME: EXPRESSION`, as in `total: amount * qty`",
	}, true
}

func (s *slip) missingColon() (Diagnostic, bool) {
	name := s.word(-1)
	if s.clause.word != "schema" && s.clause.word != "select" || s.at >= len(s.words) || s.at < 3 ||
		!isWord(name) && !isText(name) || !isWord(s.word(0)) {
		return Diagnostic{}, false
	}
	d := Diagnostic{
		Code: "F1001", Span: s.span(), Summary: fmt.Sprintf("expected `:` or `,` after %s, found %s", quote(name.Value), quote(s.word(0).Value)),
		Help: "the form is " + quoteShape(s.clause.word),
	}
	if s.word(0).Value == "as" && isWord(s.word(1)) {
		d.Help = fmt.Sprintf("a column gets its name before a colon: %s", quote(s.word(1).Value+": "+name.Value))
	}
	return d, true
}

// unexpected is what remains: the place, and the form of the clause.
func (s *slip) unexpected() Diagnostic {
	d := Diagnostic{Code: "F1001", Span: s.span(), Help: "the form is " + quoteShape(s.clause.word)}
	if s.at >= len(s.words) {
		last := s.words[len(s.words)-1].Token
		d.Span = tokenSpan(last)
		d.Summary = fmt.Sprintf("the `%s` clause stops after %s", title(s.clause.word), quote(last.Value))
		d.Label = "more is due after this"
		return d
	}
	d.Summary = fmt.Sprintf("unexpected %s in the `%s` clause", quote(s.word(0).Value), title(s.clause.word))
	return d
}

func quoteShape(word string) string { return "`" + shapeOf(word) + "`" }
