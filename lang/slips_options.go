package lang

import (
	"fmt"
	"slices"
)

// Slips with options and with what separates them and clauses.

// swallowedClause finds a clause word, or a keyword, that was read as the value
// of an option which has none.
func (s *slip) swallowedClause() (Diagnostic, bool) {
	if !takesOptions(s.clause.word) {
		return Diagnostic{}, false
	}
	words := keywords[s.clause.word]
	for i := min(s.at, len(s.words)-1); i > 2; i-- {
		key, value := s.words[i-1].Token, s.words[i].Token
		isValue := isClauseWord(value) || s.clause.word == "to" && slices.Contains(words, value.Value)
		if isValue && key.Type == tokenIdent && value.Type == tokenIdent && !slices.Contains(words, key.Value) {
			return s.noValue(i - 1), true
		}
	}
	return Diagnostic{}, false
}

// between explains what stands between two quantities of a range.
func (s *slip) between() (Diagnostic, bool) {
	t := s.word(0)
	if s.clause.word != "on" || !isPunct(t, "-") && !isPunct(t, ",") || s.word(-1).Type != tokenNumber || s.word(1).Type != tokenNumber {
		return Diagnostic{}, false
	}
	return Diagnostic{
		Code: "F1014", Span: tokenSpan(t), Summary: "the shortest and the longest backoff have `..` between them",
		Help: fmt.Sprintf("write %s", quote(s.word(-1).Value+".."+s.word(1).Value)),
	}, true
}

// braces explains braces around what belongs to a clause anyway.
func (s *slip) braces() (Diagnostic, bool) {
	if !isPunct(s.word(0), "{") || !takesOptions(s.clause.word) && s.clause.word != "flow" {
		return Diagnostic{}, false
	}
	d := Diagnostic{
		Code: "F1014", Span: s.span(), Summary: fmt.Sprintf("`%s` has no braces", title(s.clause.word)),
		Help: "remove the `{` and its `}`; the options of a clause just follow it",
	}
	if s.clause.word == "flow" {
		d.Help = "remove the `{` and its `}`; a flow reaches to the next `flow`"
	}
	return d, true
}

// arrow tells if the clause ends, from the ith word on, with something like a
// comma, `|` or `->`.
func (s *slip) arrow(i int) bool {
	text := s.text(Span{s.words[i].Pos.Offset, s.clause.span.End})
	return slices.Contains([]string{",", "|", "->", "=>", "|>", "."}, text)
}

// separator explains what stands between two clauses, options or bounds.
func (s *slip) separator() (Diagnostic, bool) {
	at := min(s.at, len(s.words)-1)
	t := s.words[at].Token
	d := Diagnostic{Code: "F1014", Span: tokenSpan(t), Help: "remove it"}
	switch {
	case isPunct(t, ";"):
		d.Summary = "clauses follow each other without `;`"
	case at > 1 && s.arrow(at):
		d.Span.End = s.clause.span.End
		d.Summary = fmt.Sprintf("clauses follow each other without `%s`", s.text(d.Span))
	case isPunct(t, ",") && s.clause.word == "epoch":
		d.Summary, d.Help = "the bounds of an epoch have `/` between them", epochHelp
	case isPunct(t, ",") && takesOptions(s.clause.word) && s.word(1).Type == tokenIdent:
		d.Summary = "options follow each other without `,`"
	default:
		return Diagnostic{}, false
	}
	return d, true
}

// colonAfterWord explains `from:` and `connection c = nats`.
func (s *slip) colonAfterWord() (Diagnostic, bool) {
	t := s.word(0)
	named := s.at == 2 && (s.clause.word == "param" || s.clause.word == "connection")
	if s.at != 1 && !named || !isPunct(t, ":") && !isPunct(t, "=") {
		return Diagnostic{}, false
	}
	d := Diagnostic{
		Code: "F1014", Span: tokenSpan(t), Summary: fmt.Sprintf("%s is followed by what belongs to it without `%s`", quote(s.word(-1).Value), t.Value),
		Help: "the form is " + quoteShape(s.clause.word),
	}
	if s.clause.word == "param" && isPunct(t, "=") {
		d.Code, d.Summary = "F1001", fmt.Sprintf("the parameter %s has no type", quote(s.word(-1).Value))
	}
	return d, true
}

func (s *slip) equalsSign() (Diagnostic, bool) {
	t := s.word(0)
	if !isPunct(t, "=") && !isPunct(t, ":") || s.word(-1).Type != tokenIdent || !takesOptions(s.clause.word) {
		return Diagnostic{}, false
	}
	value := "VALUE"
	if next := s.word(1); next.Value != "" {
		value = next.Value
	}
	return Diagnostic{
		Code: "F1012", Span: tokenSpan(t), Summary: fmt.Sprintf("an option's value follows without `%s`", t.Value),
		Help: fmt.Sprintf("write %s", quote(s.word(-1).Value+" "+value)),
	}, true
}

// referenceWithoutName explains `password env` without the variable's name.
func (s *slip) referenceWithoutName() (Diagnostic, bool) {
	t := s.word(0)
	if s.at < 2 || t.Value != "env" && t.Value != "secret" {
		return Diagnostic{}, false
	}
	return Diagnostic{
		Code: "F1012", Span: tokenSpan(t), Summary: fmt.Sprintf("`%s` needs a name in quotes", t.Value),
		Help: fmt.Sprintf("write `%s \"NAME\"`", t.Value),
	}, true
}

func (s *slip) missingValue() (Diagnostic, bool) {
	key := s.word(-1)
	if s.at != len(s.words) || s.at < 3 || key.Type != tokenIdent || !takesOptions(s.clause.word) ||
		slices.Contains(keywords[s.clause.word], key.Value) {
		return Diagnostic{}, false
	}
	return s.noValue(s.at - 1), true
}

// noValue explains the ith word, an option without a value. Straight after the
// kind of a source it is rather a subject without quotes.
func (s *slip) noValue(i int) Diagnostic {
	key := s.words[i].Token
	if s.clause.word == "from" && i == 2 {
		return Diagnostic{
			Code: "F1013", Span: tokenSpan(key), Summary: "a subject stands in quotes",
			Help: fmt.Sprintf("write `\"%s\"`", key.Value),
		}
	}
	return Diagnostic{
		Code: "F1012", Span: tokenSpan(key), Summary: fmt.Sprintf("the option %s has no value", quote(key.Value)),
		Label: "a value is due after this", Help: "a value is a string, a quantity, a word, a list of strings, or `env \"NAME\"`",
	}
}
