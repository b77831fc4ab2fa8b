package lang

import (
	"fmt"
	"slices"
	"strings"
)

// Slips with strings and with what should be one.

func (s *slip) singleQuotes() (Diagnostic, bool) {
	t := s.word(0)
	if t.Type != tokenSingle {
		return Diagnostic{}, false
	}
	inside := t.Value[1 : len(t.Value)-1]
	return Diagnostic{
		Code: "F1006", Span: tokenSpan(t), Summary: "expected a string in double quotes, found single ones",
		Help: fmt.Sprintf("write %s; single quotes are for expressions", quote(`"`+inside+`"`)),
	}, true
}

func (s *slip) unquotedHole() (Diagnostic, bool) {
	if !isPunct(s.word(0), "<") {
		return Diagnostic{}, false
	}
	run := s.run()
	return Diagnostic{
		Code: "F1013", Span: run, Summary: "a text with a hole stands in quotes",
		Help: fmt.Sprintf("write `\"%s\"`", s.text(run)),
	}, true
}

// unquotedText finds what looks like a subject: words and wildcards in a row.
func (s *slip) unquotedText() (Diagnostic, bool) {
	t := s.word(0)
	if t.Type != tokenPunct || !slices.Contains([]string{".", "*", ">", "-", "/", ":"}, t.Value) || !takesOptions(s.clause.word) {
		return Diagnostic{}, false
	}
	run := s.run()
	wildcard := s.at == 2 && (t.Value == "*" || t.Value == ">")
	if !wildcard && !strings.ContainsFunc(s.text(run), isIdentRune) || run == tokenSpan(t) && !wildcard {
		return Diagnostic{}, false
	}
	return Diagnostic{
		Code: "F1013", Span: run, Summary: "a subject, a name with dots or a URL stands in quotes",
		Help: fmt.Sprintf("write `\"%s\"`", s.text(run)),
	}, true
}

// unquotedURL finds a URL whose slashes became a comment.
func (s *slip) unquotedURL() (Diagnostic, bool) {
	t := s.word(0)
	if !isPunct(t, ":") || s.at != len(s.words)-1 || s.at < 2 || s.word(-1).Type != tokenIdent {
		return Diagnostic{}, false
	}
	scheme := s.word(-1).Value
	return Diagnostic{
		Code: "F1013", Span: s.run(), Summary: "a URL stands in quotes, else its `//` starts a comment",
		Help: fmt.Sprintf("write `\"%s://HOST:PORT\"`", scheme),
	}, true
}

func (s *slip) unquotedElement() (Diagnostic, bool) {
	t, before := s.word(0), s.word(-1)
	if !isWord(t) || !takesOptions(s.clause.word) || !isPunct(before, "[") && !isPunct(before, ",") {
		return Diagnostic{}, false
	}
	return Diagnostic{
		Code: "F1013", Span: s.span(), Summary: fmt.Sprintf("expected a string, found the word %s", quote(t.Value)),
		Help: fmt.Sprintf("write `\"%s\"`", t.Value),
	}, true
}

// run returns the place of all words that touch the one that does not fit.
func (s *slip) run() Span {
	first, last := s.at, s.at
	for first > 1 && tokenEnd(s.words[first-1].Token) == s.words[first].Pos.Offset {
		first--
	}
	for last < len(s.words)-1 && tokenEnd(s.words[last].Token) == s.words[last+1].Pos.Offset {
		last++
	}
	return tokenSpan(s.words[first].Token).Join(tokenSpan(s.words[last].Token))
}

func (s *slip) text(span Span) string {
	var b strings.Builder
	for _, w := range s.words {
		if w.Pos.Offset >= span.Start && tokenEnd(w.Token) <= span.End {
			b.WriteString(w.Value)
		}
	}
	return b.String()
}

// quotedName explains a string where the language wants a word.
func (s *slip) quotedName() (Diagnostic, bool) {
	t := s.word(0)
	if !isText(t) || s.at != 1 || s.clause.word == "drop" {
		return Diagnostic{}, false
	}
	d := Diagnostic{Code: "F1001", Span: tokenSpan(t), Help: "the form is " + quoteShape(s.clause.word)}
	switch s.clause.word {
	case "from", "to":
		d.Summary = fmt.Sprintf("expected a connection or a kind such as `nats` after `%s`, found a string", s.clause.word)
	case "epoch", "language":
		d.Summary = fmt.Sprintf("expected a number after `%s`, found a string", s.clause.word)
	default:
		d.Summary = fmt.Sprintf("expected a word after `%s`, found a string", s.clause.word)
	}
	return d, true
}
