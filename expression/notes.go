package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
)

// notes warns of comparisons that drop rows because a column is null. It looks
// only where the null reaches the filter: through and, or.
func (c *compiler) notes(node ast.Node) {
	switch n := node.(type) {
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&", "or", "||":
			c.notes(n.Left)
			c.notes(n.Right)
		case "!=":
			c.noteNull(n)
		}
	case *ast.UnaryNode:
		if in, ok := n.Node.(*ast.BinaryNode); ok && (in.Operator == "in" || in.Operator == "==") {
			c.noteNull(in)
		}
	}
}

// noteNull warns where a nullable column is compared with what is never null.
func (c *compiler) noteNull(n *ast.BinaryNode) {
	column, value := n.Left, n.Right
	if c.operands[column].column == nil {
		column, value = value, column
	}
	o := c.operands[column]
	if o.column == nil || !o.nullable || isNil(value) || c.operands[value].constant == nil {
		return
	}
	at := c.source.span(n)
	c.report(Problem{Start: at.start, End: at.end, Kind: Suspicious, Warning: true,
		Message: fmt.Sprintf("rows whose `%s` is null are dropped: the comparison is null there, not true", o.column.name),
		Help:    nullHelp(o)})
}

func nullHelp(o operand) string {
	name := o.column.name
	substitute := map[kind]string{kindString: `""`, kindInt: "0", kindFloat: "0", kindBool: "false"}[o.typ.kind]
	if substitute == "" {
		return fmt.Sprintf("add `or %s == nil` to keep them, or `and %s != nil` to say that they should go", name, name)
	}
	return fmt.Sprintf("write `(%s ?? %s)` to keep them, or add `and %s != nil` to say that they should go", name, substitute, name)
}

func isNil(node ast.Node) bool {
	_, ok := node.(*ast.NilNode)
	return ok
}
