package expression

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/expr-lang/expr/ast"
)

// expect reports an operand that is not of a kind; null is of every kind.
func (c *compiler) expect(o operand, want kind, what string) bool {
	if o.typ.kind == want || o.typ.kind == kindNull {
		return true
	}
	c.problem(o.node, Mistyped, c.conversionHelp(o, want), "%s takes %s, found %s", what, article(want.String()), o.typ)
	return false
}

func article(noun string) string {
	if noun[0] == 'i' {
		return "an " + noun
	}
	return "a " + noun
}

// conversionHelp says how to make an operand one of another kind.
func (c *compiler) conversionHelp(o operand, to kind) string {
	from := o.typ.kind
	if o.constant != nil && (from == kindString && isMachineNumber(to) || isMachineNumber(from) && to == kindString) {
		return c.quotesHelp(o)
	}
	switch {
	case to == kindString && from != kindList && from != kindRecord:
		return c.write("string", o)
	case to == kindBool && from == kindJSON:
		return "compare it with true"
	case to == kindBool && isMachineNumber(from):
		return "compare it, as in `x != 0`"
	case isMachineNumber(to) && (from == kindString || from == kindJSON || from == kindDecimal):
		return c.write(to.String(), o)
	case isMachineNumber(to) && from == kindTimestamp:
		return c.write("unix", o)
	case to == kindInt && from == kindFloat:
		return c.write("int", o)
	case (to == kindTimestamp || to == kindDate) && from == kindString:
		return c.write("date", o)
	case (to == kindTimestamp || to == kindDate) && from == kindInt:
		return c.write("fromUnix", o)
	}
	return ""
}

// boolHelp is for an operator over a bool and a number.
func (c *compiler) boolHelp(operator string, o, number operand) string {
	equality := operator == "==" || operator == "!="
	written := c.source.slice(c.source.span(number.node))
	switch {
	case equality && number.constant == int64(1):
		return "write `true` instead of `1`"
	case equality && number.constant == int64(0):
		return "write `false` instead of `0`"
	case equality && o.constant != nil && number.constant == nil && len(written) <= longestQuoted:
		unlike := "!="
		if (operator == "==") != (o.constant == true) {
			unlike = "=="
		}
		return fmt.Sprintf("write `%s %s 0`", written, unlike)
	case o.constant == nil && len(c.source.slice(c.source.span(o.node))) <= longestQuoted:
		return fmt.Sprintf("write `(%s ? 1 : 0)` for a number", c.source.slice(c.source.span(o.node)))
	}
	return ""
}

// quotesHelp is for a literal that only has quotes too many or too few.
func (c *compiler) quotesHelp(o operand) string {
	written := c.source.slice(c.source.span(o.node))
	text, isText := o.constant.(string)
	if !isText {
		return fmt.Sprintf("write `%q` for text", written)
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return ""
	}
	return fmt.Sprintf("write `%s` without quotes for a number", text)
}

// longestQuoted is how much of an expression a help repeats.
const longestQuoted = 40

// write shows the call of a function over an operand as it is written.
func (c *compiler) write(function string, o operand) string {
	if text := c.source.slice(c.source.span(o.node)); len(text) <= longestQuoted {
		return fmt.Sprintf("write `%s(%s)`", function, text)
	}
	return fmt.Sprintf("convert it with `%s`", function)
}

// mismatch reports an operator over two types that do not go together.
func (c *compiler) mismatch(n *ast.BinaryNode, l, r operand) operand {
	return c.problem(n, Mistyped, c.mismatchHelp(n.Operator, l, r), "`%s` does not take %s and %s", n.Operator, l.typ, r.typ)
}

func (c *compiler) mismatchHelp(operator string, l, r operand) string {
	for _, pair := range [][2]operand{{l, r}, {r, l}} {
		o, other := pair[0], pair[1]
		switch {
		case o.typ.kind == kindBool && isMachineNumber(other.typ.kind):
			return c.boolHelp(operator, o, other)
		case isInstant(other.typ) && o.typ.kind == kindInt && (operator == "+" || operator == "-"):
			return `write a duration, as in duration("1h")`
		case other.typ.kind == kindString && operator == "+",
			isInstant(other.typ) && o.typ.kind == kindString,
			isInstant(other.typ) && o.typ.kind == kindInt:
			return c.conversionHelp(o, other.typ.kind)
		case o.typ.kind == kindDecimal && operator != "in":
			return c.write("float", o)
		}
	}
	if l.constant != nil || isMachineNumber(l.typ.kind) { // better change the other side
		l, r = r, l
	}
	return cmp.Or(c.conversionHelp(l, r.typ.kind), c.conversionHelp(r, l.typ.kind))
}
