package lang

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// A cutClause is the text of one clause, before it is parsed.
type cutClause struct {
	word   string        // the clause word, or "" for what stands before the first
	tokens []lexer.Token // the elided ones between them too, none after the last
	span   Span
}

// A word is a token that the grammar sees.
type word struct {
	lexer.Token
	index int  // in the token list
	opens bool // it is the first on its line
}

func wordsIn(tokens []lexer.Token) []word {
	var words []word
	opens := true
	for i, t := range tokens {
		if isElided(t) {
			opens = opens || strings.Contains(t.Value, "\n")
			continue
		}
		words = append(words, word{t, i, opens})
		opens = false
	}
	return words
}

// cut divides the tokens of a file into clauses. A clause word starts a clause
// where it opens a line, and where the clause before it could be complete: it
// is a mere name where a name is still due, in brackets, and as an operand.
// The word that starts a clause becomes a keyword token.
func cut(tokens []lexer.Token) []cutClause {
	c := cutter{words: wordsIn(tokens)}
	var clauses []cutClause
	for start := 0; start < len(c.words); {
		first := c.words[start]
		kind := ""
		if isClauseWord(first.Token) {
			kind = first.Value
			tokens[first.index].Type = tokenKeyword
		}
		end := c.end(kind, start)
		last := c.words[end-1]
		clauses = append(clauses, cutClause{
			word:   kind,
			tokens: tokens[first.index : last.index+1],
			span:   Span{first.Pos.Offset, tokenEnd(last.Token)},
		})
		start = end
	}
	return clauses
}

type cutter struct{ words []word }

// due says how many words a clause wants, clause words or not, after its own.
var due = map[string]int{
	"param": 2, "connection": 2, "schema": 1, "flow": 1, "from": 1,
	"drop": 1, "to": 1, "on": 1,
}

// end returns the index of the word after the clause that starts at i.
func (c *cutter) end(kind string, i int) int {
	need, depth := due[kind], 0
	if kind == "" {
		i--
	}
	if kind == "where" {
		i = c.expressionEnd(i+1) - 1
	}
	for i++; i < len(c.words); i++ {
		w := c.words[i]
		switch {
		case isOpening(w.Token):
			depth, need = depth+1, 0
		case isClosing(w.Token):
			depth--
		case depth > 0:
		case isClauseWord(w.Token) && (w.opens || need == 0 || c.onlyClause(i)) && !c.joinCondition(kind, i):
			return i
		case kind == "to" && need == 0 && w.Value == "when" && isWord(w.Token):
			i = c.expressionEnd(i+1) - 1
		default:
			need = c.needAfter(kind, i, need)
		}
	}
	return i
}

// needAfter says how many words are due after the ith.
func (c *cutter) needAfter(kind string, i, need int) int {
	w := c.words[i]
	switch {
	case isPunct(w.Token, ","):
		if (kind == "from" || kind == "drop") && !c.clauseAfterComma(kind, i+1) {
			return 1
		}
		return 0
	case isPunct(w.Token, "="), isPunct(w.Token, "."), isPunct(w.Token, ":"), kind == "flow" && isPunct(w.Token, "-"):
		return 1
	case kind == "on" && w.Value == "dead":
		return 3 // letter, to, and where to
	case kind == "on" && (w.Value == "dead_letter" || w.Value == "deadletter"):
		return 2 // a slip for the same
	case kind == "on" && w.Value == "error":
		return 1
	case need > 0 || w.Type != tokenIdent:
		return max(need-1, 0)
	case !takesOptions(kind), w.Value == "otherwise", kind == "on" && (w.Value == "stop" || w.Value == "skip"):
		return 0
	case lacksUnit(c.words[i-1].Token) && isUnit(w.Value):
		return 0
	}
	return 1 // the value of an option
}

// onlyClause tells if the word could be nothing but a clause, wherever it stands.
func (c *cutter) onlyClause(i int) bool {
	if i+1 >= len(c.words) {
		return false
	}
	next := c.words[i+1].Token
	switch c.words[i].Value {
	case "epoch":
		return next.Type == tokenNumber
	case "select":
		return isPunct(next, "{")
	case "on":
		return isWord(next) && next.Value == "error"
	}
	return false
}

// joinCondition tells if the word is the `on` of a join, which is reserved.
func (c *cutter) joinCondition(kind string, i int) bool {
	return slices.Contains(reservedWords, kind) && c.words[i].Value == "on" && !c.onlyClause(i)
}

// clauseAfterComma tells if the word after a comma starts a clause all the
// same, because what follows it could not follow a name.
func (c *cutter) clauseAfterComma(kind string, i int) bool {
	if i+1 >= len(c.words) || !isClauseWord(c.words[i].Token) {
		return false
	}
	next := c.words[i+1].Token
	if kind == "from" {
		return !isText(next) && !isPunct(next, "[")
	}
	return isWord(next) && !isClauseWord(next) || isText(next) || next.Type == tokenNumber || isPunct(next, "{")
}

// expressionEnd returns the index of the word after the expression at i.
func (c *cutter) expressionEnd(i int) int {
	start := i
	var e extent
	for ; i < len(c.words); i++ {
		w := c.words[i]
		if e.depth == 0 && w.opens && isClauseWord(w.Token) || !e.accept(w.Token) {
			break
		}
	}
	// `where amount > to nats ...`: what can only be a clause is none of the
	// expression, which is then the incomplete one.
	if start < i && i < len(c.words) && e.operand && !e.member &&
		isClauseWord(c.words[i-1].Token) && startsOperand(c.words[i].Token) && !isClauseWord(c.words[i].Token) {
		return i - 1
	}
	return i
}

func takesOptions(kind string) bool {
	return slices.Contains([]string{"connection", "from", "epoch", "to", "on"}, kind)
}
