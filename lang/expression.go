package lang

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// An Expr is the text of an expression, comments included, exactly as it
// stands in the source: an offset into Text plus Span().Start is a place.
type Expr struct {
	Text string
	Line string // the same on one line, without comments

	span Span
}

// Span returns the place of the expression.
func (e *Expr) Span() Span { return e.span }

// Parse takes the tokens up to the expression's end; participle calls it. It
// finds what expr's own parser would explain badly or in the wrong place.
func (e *Expr) Parse(lex *lexer.PeekingLexer) error {
	var c exprCheck
	start := int(lex.RawCursor())
	for {
		t := lex.Peek()
		if t.EOF() || !c.accept(*t) {
			break
		}
		lex.Next()
	}
	tokens := lex.Range(lexer.RawCursor(start), lex.RawCursor())
	for len(tokens) > 0 && isElided(tokens[0]) {
		tokens = tokens[1:]
	}
	if problem := c.finish(*lex.Peek()); problem != nil {
		return *problem
	}
	var text, line strings.Builder
	apart := false
	for _, t := range tokens {
		text.WriteString(t.Value)
		if isElided(t) {
			apart = true
			continue
		}
		if apart {
			line.WriteByte(' ')
		}
		line.WriteString(t.Value)
		apart = false
	}
	e.Text, e.Line = text.String(), line.String()
	e.span = tokenSpan(tokens[0]).Join(tokenSpan(tokens[len(tokens)-1]))
	return nil
}

// maxExpressionTokens bounds the recursion that needs no brackets, such as that
// of `- - - a` or of nested `?:`.
const maxExpressionTokens = 20_000

// An exprCheck follows an expression and keeps the first thing that is wrong.
type exprCheck struct {
	extent
	last    *lexer.Token // the token before
	pending *lexer.Token // an operator's name where an operand was due
	negated bool         // the last token was the `not` of `not in` and its like
	tokens  int
	problem *Diagnostic
}

func (c *exprCheck) accept(t lexer.Token) bool {
	operandDue, afterDot := !c.operand, c.dot
	if !c.extent.accept(t) {
		return false
	}
	if c.pending != nil {
		c.settle(t)
	}
	switch {
	case afterDot:
	case operandDue && isWordOperator(t) && !c.negated:
		c.pending = &t
	case operandDue && isWord(t) && (t.Value == "let" || t.Value == "if" || t.Value == "else"):
		c.fail(refusedForm(t))
	case isPunct(t, ";"):
		c.fail(sequenceInExpression(t))
	case isPunct(t, "="):
		c.fail(loneEquals(t))
	case t.Type == tokenNumber:
		c.integer(t)
	}
	if c.tokens++; c.tokens > maxExpressionTokens {
		c.fail(expressionTooLong(t))
	}
	c.negated = !operandDue && !afterDot && isWordOperator(t) && t.Value == "not"
	c.last = &t
	return true
}

// settle decides about the operator's name once the token after it is known:
// `{in: 1}` is a key, `not x` an operator, anything else a column's name.
func (c *exprCheck) settle(next lexer.Token) {
	p := *c.pending
	c.pending = nil
	if isPunct(next, ":") || p.Value == "not" && (startsOperand(next) || isPunct(next, "{")) {
		return
	}
	c.fail(operatorAsName(p))
}

func (c *exprCheck) fail(d Diagnostic) {
	if c.problem == nil {
		c.problem = &d
	}
}

// finish returns what is wrong with the expression that ends before next.
func (c *exprCheck) finish(next lexer.Token) *Diagnostic {
	switch {
	case c.pending != nil:
		c.fail(operatorAsName(*c.pending))
	case c.last == nil:
		c.fail(expressionMissing(next))
	case !c.operand:
		c.fail(expressionStops(*c.last))
	}
	return c.problem
}

// integer refuses a literal outside int64. The smallest one is allowed after
// its sign.
func (c *exprCheck) integer(t lexer.Token) {
	digits := strings.ReplaceAll(t.Value, "_", "")
	base := 10
	if len(digits) > 2 && digits[0] == '0' {
		switch digits[1] {
		case 'x', 'X':
			base = 16
		case 'o', 'O':
			base = 8
		case 'b', 'B':
			base = 2
		}
	}
	if base != 10 {
		digits = digits[2:]
	}
	if c.last != nil && isPunct(*c.last, "-") {
		digits = "-" + digits
	}
	if _, err := strconv.ParseInt(digits, base, 64); isOutOfRange(err) {
		c.fail(integerOutOfRange(t))
	}
}

func isOutOfRange(err error) bool {
	return errors.Is(err, strconv.ErrRange)
}

func operatorAsName(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1032", Span: tokenSpan(t), Summary: fmt.Sprintf("`%s` is an operator, and an operand is due here", t.Value),
		Help: fmt.Sprintf("a column of that name is written `$env[%q]`", t.Value),
	}
}

func refusedForm(t lexer.Token) Diagnostic {
	d := Diagnostic{Code: "F1034", Span: tokenSpan(t), Summary: fmt.Sprintf("`%s` is not part of the language", t.Value)}
	if t.Value == "let" {
		d.Help = "write the value where it is used, or give it a name with `select { NAME: EXPRESSION, ... }` first"
	} else {
		d.Help = "write `CONDITION ? THIS : THAT`"
	}
	d.Help += fmt.Sprintf("; a column of that name is written `$env[%q]`", t.Value)
	return d
}

func sequenceInExpression(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1034", Span: tokenSpan(t), Summary: "`;` is not part of the language",
		Help: "an expression has one value; write `CONDITION ? THIS : THAT` for a choice",
	}
}

func loneEquals(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1031", Span: tokenSpan(t), Summary: "`=` is not an operator",
		Label: "did you mean `==`?", Help: "`==` compares; a flow assigns nothing",
	}
}

func integerOutOfRange(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1033", Span: tokenSpan(t), Summary: "an integer that does not fit into 64 bits",
		Label: "integers reach from -9223372036854775808 to 9223372036854775807",
		Help:  "write it as a float, as in `1e19`, if it need not be exact",
	}
}

func expressionMissing(next lexer.Token) Diagnostic {
	d := Diagnostic{Code: "F1030", Span: tokenSpan(next), Summary: "expected an expression"}
	if next.EOF() {
		d.Label = "the clause ends here"
	} else {
		d.Summary += fmt.Sprintf(", found %s", quote(next.Value))
	}
	d.Help = "write a condition or a value, as in `amount > 0`"
	if slices.Contains(clauseWords, next.Value) {
		d.Help += fmt.Sprintf("; a column of that name at the start of a line is written `$env[%q]`", next.Value)
	}
	return d
}

func expressionTooLong(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1010", Span: tokenSpan(t), Summary: fmt.Sprintf("an expression has more than %d parts", maxExpressionTokens),
		Label: "one too many", Help: "split it into several `where`, or put a long list elsewhere",
	}
}

func expressionStops(last lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1030", Span: tokenSpan(last), Summary: fmt.Sprintf("the expression stops after `%s`", last.Value),
		Label: "an operand is due after this", Help: "finish the expression; a line that starts with a clause word starts a clause",
	}
}
