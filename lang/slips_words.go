package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// Slips with the words of the language.

// misspeltClause finds the clause word that was read as an option, because it
// is not quite one.
func (s *slip) misspeltClause() (Diagnostic, bool) {
	if s.inBrackets() {
		return Diagnostic{}, false
	}
	back := []int{0}
	if takesOptions(s.clause.word) || s.clause.word == "flow" {
		back = []int{0, -1, -2} // it was taken for an option, or for its value
	}
	for _, i := range back {
		t := s.word(i)
		if t.Type != tokenIdent || s.at+i < 2 || isUnit(t.Value) || slices.Contains(knownKeys, t.Value) || isClauseWord(t) {
			continue
		}
		if meant, ok := Nearest(t.Value, clauseWords); ok && len(t.Value) > 2 {
			return unknownClause(t, meant), true
		}
	}
	return Diagnostic{}, false
}

// knownKeys are words inside clauses that come near to a clause word.
var knownKeys = []string{"stream", "error", "when", "as", "form"}

// keywords are the words that the grammar knows inside a clause.
var keywords = map[string][]string{
	"from": {"as"},
	"to":   {"when", "otherwise"},
	"on":   {"error", "retry", "backoff", "then", "stop", "skip", "dead", "letter"},
}

// otherWords are what other languages say for a keyword.
var otherWords = map[string]map[string]string{
	"from":  {"when": "where", "if": "where", "filter": "where", "into": "to"},
	"epoch": {"when": "where", "if": "where", "filter": "where", "into": "to"},
	"to":    {"if": "when", "else": "otherwise", "default": "otherwise"},
	"on":    {"dead_letter": "dead letter", "deadletter": "dead letter", "ignore": "skip", "drop": "skip", "fail": "stop", "abort": "stop", "failure": "error"},
}

// misspeltKeyword finds the keyword that was read as an option, because it is
// not quite one.
func (s *slip) misspeltKeyword() (Diagnostic, bool) {
	words := keywords[s.clause.word]
	for _, i := range []int{0, -1, -2} {
		t := s.word(i)
		if t.Type != tokenIdent || slices.Contains(words, t.Value) || s.at+i < 1 {
			continue
		}
		meant, ok := otherWords[s.clause.word][t.Value]
		if !ok && len(t.Value) > 2 {
			meant, ok = Nearest(t.Value, words)
		}
		if ok {
			return Diagnostic{
				Code: "F1001", Span: tokenSpan(t), Summary: fmt.Sprintf("unexpected %s in the `%s` clause", quote(t.Value), title(s.clause.word)),
				Label: fmt.Sprintf("did you mean `%s`?", meant), Help: "the form is " + quoteShape(s.clause.word),
			}, true
		}
	}
	return Diagnostic{}, false
}

// noClause explains words where a clause was due.
func noClause(c cutClause) Diagnostic {
	first := wordsIn(c.tokens)[0].Token
	if slices.Contains(reservedWords, c.word) {
		return Diagnostic{
			Code: "F1004", Span: tokenSpan(first), Summary: fmt.Sprintf("`%s` is reserved for a later version of the language", c.word),
			Help: "the clauses are " + clauseList(),
		}
	}
	if meant, ok := Nearest(first.Value, clauseWords); ok && isWord(first) {
		return unknownClause(first, meant)
	}
	return Diagnostic{
		Code: "F1002", Span: tokenSpan(first), Summary: fmt.Sprintf("expected a clause, found %s", quote(first.Value)),
		Help: "the clauses are " + clauseList(),
	}
}

func unknownClause(t lexer.Token, meant string) Diagnostic {
	return Diagnostic{
		Code: "F1003", Span: tokenSpan(t), Summary: fmt.Sprintf("unknown clause %s", quote(t.Value)),
		Label: fmt.Sprintf("did you mean `%s`?", meant),
	}
}

func clauseList() string {
	return "`" + strings.Join(clauseWords, "` `") + "`"
}
