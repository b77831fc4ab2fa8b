package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
)

func (c *compiler) unary(n *ast.UnaryNode) operand {
	o := c.compile(n.Node)
	switch n.Operator {
	case "not", "!":
		if !c.expect(o, kindBool, "`"+n.Operator+"`") {
			return null()
		}
		return not(o)
	case "-":
		return c.negate(n, o)
	}
	if o.typ.kind != kindNull && !o.typ.numeric() {
		return c.problem(n.Node, Mistyped, "", "`+` takes a number, found %s", o.typ)
	}
	return o
}

func (c *compiler) binary(n *ast.BinaryNode) operand {
	if n.Operator == "-" {
		if name, ok := c.dashed(n); ok {
			return c.dashedProblem(n, name)
		}
	}
	l, r := c.compile(n.Left), c.compile(n.Right)
	switch n.Operator {
	case "and", "&&", "or", "||":
		return c.logic(n, l, r)
	case "==", "!=", "<", "<=", ">", ">=":
		return c.comparison(n, l, r)
	case "in":
		return c.membership(n, l, r)
	case "contains", "startsWith", "endsWith":
		return c.textTest(n, l, r)
	case "matches":
		return c.matches(n, l, r)
	case "??":
		return c.coalesce(n, l, r)
	case "..":
		return c.interval(n, l, r)
	}
	return c.arithmetic(n, l, r)
}

func (c *compiler) dashedProblem(n *ast.BinaryNode, name string) operand {
	at := c.source.span(n)
	written := fmt.Sprintf("$env[%q]", name)
	c.report(Problem{Start: at.start, End: at.end, Kind: UnknownName, Suggestion: written,
		Message: fmt.Sprintf("`%s` reads as a subtraction", c.source.slice(at)),
		Label:   fmt.Sprintf("the column `%s` is written `%s`", name, written)})
	return null()
}
