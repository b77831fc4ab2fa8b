package lang

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// clauseShapes are the clauses of the language, in the order in which a reader
// meets them, with the form that messages show.
var clauseShapes = []struct{ word, shape string }{
	{"language", `language 1`},
	{"param", `param NAME TYPE = DEFAULT`},
	{"connection", `connection NAME KIND OPTION VALUE ...`},
	{"schema", `schema NAME { COLUMN: TYPE, ... }`},
	{"flow", `flow NAME`},
	{"from", `from nats "SUBJECT" as NAME, ...`},
	{"epoch", `epoch 1000/1s/4MiB`},
	{"where", `where EXPRESSION`},
	{"select", `select { COLUMN, NAME: EXPRESSION, ... }`},
	{"drop", `drop COLUMN, COLUMN`},
	{"to", `to nats stream "NAME" subject "SUBJECT" when EXPRESSION`},
	{"on", `on error retry 5 backoff 200ms..10s then stop|skip|dead letter to nats subject "SUBJECT"`},
}

var (
	clauseWords   = wordsOf()
	reservedWords = []string{"join", "window", "group", "merge", "import", "limit"}
	wordOperators = []string{"and", "or", "not", "in", "matches", "contains", "startsWith", "endsWith"}
)

func wordsOf() []string {
	words := make([]string, len(clauseShapes))
	for i, c := range clauseShapes {
		words[i] = c.word
	}
	return words
}

func shapeOf(word string) string {
	for _, c := range clauseShapes {
		if c.word == word {
			return c.shape
		}
	}
	return ""
}

// ClauseWords returns the words that start a clause, for suggestions.
func ClauseWords() []string { return slices.Clone(clauseWords) }

func isClauseWord(t lexer.Token) bool {
	return isWord(t) && (slices.Contains(clauseWords, t.Value) || slices.Contains(reservedWords, t.Value))
}

func isWordOperator(t lexer.Token) bool { return isWord(t) && slices.Contains(wordOperators, t.Value) }
