package expression

import (
	"fmt"
	"slices"
	"strings"

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
	known := len(c.problems)
	l, r := c.compile(n.Left), c.compile(n.Right)
	if not, ok := n.Left.(*ast.UnaryNode); ok && bindsTooClose(n, not, r) {
		return c.notProblem(n, not, r, known)
	}
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

// bindsTooClose says whether n is as in `not x == 7`, where not takes x alone: a
// bool is then compared with what is none.
func bindsTooClose(n *ast.BinaryNode, not *ast.UnaryNode, r operand) bool {
	if not.Operator != "not" && not.Operator != "!" {
		return false
	}
	switch n.Operator {
	case "==", "!=", "<", "<=", ">", ">=", "contains", "startsWith", "endsWith", "matches":
		return r.typ.kind != kindNull && r.typ.kind != kindBool && r.typ.kind != kindJSON
	}
	return false
}

// notProblem stands for what was found about the operand of not, from the known
// problems on: that follows from it.
func (c *compiler) notProblem(n *ast.BinaryNode, not *ast.UnaryNode, r operand, known int) operand {
	inner := c.source.span(not.Node)
	c.problems = append(c.problems[:known], slices.DeleteFunc(c.problems[known:], func(p Problem) bool {
		return p.Kind == Mistyped && p.Start == inner.start && p.End == inner.end && strings.HasPrefix(p.Message, "`"+not.Operator+"` takes")
	})...)
	at := c.source.span(n)
	help := fmt.Sprintf("`%s` takes what is next to it: put the comparison in parentheses", not.Operator)
	if text := strings.TrimSpace(c.source.slice(at)[len(not.Operator):]); len(text) <= longestQuoted {
		help = fmt.Sprintf("write `%s`", joined(not.Operator, "("+text+")"))
	}
	return c.problemAt(at, Mistyped, help, "`%s` does not take bool and %s", n.Operator, r.typ)
}

// joined writes an operator of one operand before it.
func joined(operator, text string) string {
	if operator == "!" {
		return operator + text
	}
	return operator + " " + text
}
