package lang

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// An extent follows an expression token by token to find where it ends. It
// rests on one fact about expr: two operands never stand side by side.
type extent struct {
	depth   int  // of brackets
	operand bool // the tokens so far end with a complete operand
	dot     bool // the last token was . or ?. so that any word is a member
	member  bool // the last token was such a member
}

// accept tells if t belongs to the expression, and takes it if so.
func (e *extent) accept(t lexer.Token) bool {
	if e.depth == 0 && e.endsBefore(t) {
		return false
	}
	e.member = e.dot && isWord(t)
	e.dot = isPunct(t, ".") || isPunct(t, "?.")
	switch {
	case isOpening(t):
		e.depth++
		e.operand = false
	case isClosing(t):
		e.depth--
		e.operand = true
	case e.member:
		e.operand = true
	case isWordOperator(t), t.Type == tokenPunct:
		e.operand = isPunct(t, "#")
	case t.Type == tokenBad:
		e.operand = closing[t.Value] == ""
	default:
		e.operand = true
	}
	return true
}

func (e *extent) endsBefore(t lexer.Token) bool {
	switch {
	case isClosing(t), isPunct(t, ","), isPunct(t, ";"):
		return true
	case isWordOperator(t), e.dot:
		return false
	case isPunct(t, "{"), isWord(t), isLiteral(t):
		return e.operand
	}
	return false
}

// startsOperand tells if t can be the first token of an operand.
func startsOperand(t lexer.Token) bool {
	switch {
	case isWord(t):
		return !isWordOperator(t) || t.Value == "not"
	case t.Type == tokenPunct:
		return isOpening(t) || slices.Contains([]string{"-", "+", "!", "#", ".", "::"}, t.Value)
	}
	return isLiteral(t)
}

func isLiteral(t lexer.Token) bool {
	switch t.Type {
	case tokenNumber, tokenString, tokenRaw, tokenSingle, tokenBytes:
		return true
	}
	return false
}

func isOpening(t lexer.Token) bool { return t.Type == tokenPunct && closing[t.Value] != "" }

func isClosing(t lexer.Token) bool {
	return t.Type == tokenPunct && (t.Value == ")" || t.Value == "]" || t.Value == "}")
}
