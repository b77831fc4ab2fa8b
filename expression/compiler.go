package expression

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/expr-lang/expr/ast"
)

// compiler turns a tree into closures. A node with a problem becomes an
// operand that is always null, which no operator objects to, so that one
// mistake is reported once and the walk goes on.
type compiler struct {
	source   *source
	env      Environment
	operands map[ast.Node]operand // kept for the notes on a filter, else nil
	problems []Problem
	columns  []columnPath
	scopes   []scopeType // of the predicates around the node
	deepest  int
}

func newCompiler(e *Expression, env Environment) *compiler {
	return &compiler{source: e.source, env: env}
}

// problem reports at a node and returns the operand to go on with.
func (c *compiler) problem(node ast.Node, kind ProblemKind, help, format string, args ...any) operand {
	return c.problemAt(c.source.span(node), kind, help, format, args...)
}

func (c *compiler) problemAt(at span, kind ProblemKind, help, format string, args ...any) operand {
	c.report(Problem{Start: at.start, End: at.end, Kind: kind, Message: fmt.Sprintf(format, args...), Help: help})
	return null()
}

func (c *compiler) place(node ast.Node) place { return place{c.source, node} }

func (c *compiler) report(p Problem) {
	p.Message, p.Label, p.Help = oneLine(p.Message), oneLine(p.Label), oneLine(p.Help)
	c.problems = append(c.problems, p)
}

// compile gives the operand of a node.
func (c *compiler) compile(node ast.Node) operand {
	o := c.compileNode(node)
	o.node = node
	if c.operands != nil {
		c.operands[node] = o
	}
	return o
}

func (c *compiler) compileNode(node ast.Node) operand {
	switch n := node.(type) {
	case *ast.NilNode:
		return null()
	case *ast.BoolNode:
		return literal(kindBool, n.Value)
	case *ast.IntegerNode:
		return literal(kindInt, int64(n.Value))
	case *ast.FloatNode:
		return literal(kindFloat, n.Value)
	case *ast.StringNode:
		return literal(kindString, n.Value)
	case *ast.BytesNode:
		return literal(kindBytes, string(n.Value))
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.ChainNode:
		return c.compile(n.Node)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.PointerNode:
		return c.pointer(n)
	case *ast.UnaryNode:
		return c.fold(node, c.unary(n))
	case *ast.BinaryNode:
		return c.fold(node, c.binary(n))
	case *ast.ConditionalNode:
		return c.conditional(n)
	case *ast.ArrayNode:
		return c.list(n)
	case *ast.MapNode:
		return c.record(n)
	case *ast.SliceNode:
		return c.slice(n)
	case *ast.BuiltinNode:
		return c.call(n, n.Name, n.Arguments)
	case *ast.CallNode:
		return c.callNode(n)
	}
	return c.problem(node, Syntax, "", "`%s` cannot stand here", c.source.slice(c.source.span(node)))
}

func (c *compiler) callNode(n *ast.CallNode) operand {
	switch callee := n.Callee.(type) {
	case *ast.IdentifierNode:
		return c.call(n, callee.Value, n.Arguments)
	case *ast.MemberNode:
		if name, ok := callee.Property.(*ast.StringNode); ok {
			return c.problem(callee.Property, UnknownName, methodHelp(name.Value), "values have no methods: found `.%s(`", name.Value)
		}
	}
	return c.problem(n, Syntax, "", "only a function can be called")
}

// fold computes at once what depends on literals only, so that a mistake in
// them is found before any row.
func (c *compiler) fold(node ast.Node, o operand) operand {
	if !isLiteral(node) {
		return o
	}
	return c.evaluate(o)
}

// evaluate gives the value of what no row changes as a literal.
func (c *compiler) evaluate(o operand) operand {
	f := &frame{scopes: make([]scope, c.deepest)}
	v, _ := boxed(o)(f)
	if f.err != nil {
		return c.problemAt(span{f.err.Start, f.err.End}, BadValue, "", "%s", f.err.Message)
	}
	return literalOf(o.typ, v)
}

func isLiteral(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.NilNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.BytesNode:
		return true
	case *ast.UnaryNode:
		return isLiteral(n.Node)
	case *ast.BinaryNode: // but no interval, which may be large
		return n.Operator != ".." && isLiteral(n.Left) && isLiteral(n.Right)
	case *ast.ArrayNode:
		for _, element := range n.Nodes {
			if !isLiteral(element) {
				return false
			}
		}
		return true
	}
	return false
}

// schemaNames lists the columns of the schema.
func (c *compiler) schemaNames() []string {
	if c.env.Schema == nil {
		return nil
	}
	names := make([]string, c.env.Schema.NumFields())
	for i, f := range c.env.Schema.Fields() {
		names[i] = f.Name
	}
	return names
}

func (c *compiler) hasColumn(name string) bool {
	return c.env.Schema != nil && c.env.Schema.HasField(name)
}

// useColumn gives the operand of a column, bound once however often it is used.
func (c *compiler) useColumn(name string, t dataType, f arrow.Field, path columnPath) operand {
	slot := slices.IndexFunc(c.columns, func(used columnPath) bool { return slices.Equal(used, path) })
	if slot < 0 {
		slot = len(c.columns)
		c.columns = append(c.columns, path)
	}
	o := column(t, slot)
	o.nullable = f.Nullable || t.kind == kindNull
	o.column = &columnUse{name: name, field: f, path: path, slot: slot}
	return o
}

func (c *compiler) schemaColumn(node ast.Node, name string) operand {
	i := c.env.Schema.FieldIndices(name)[0]
	f := c.env.Schema.Field(i)
	typ, err := fromArrow(f)
	if err != nil {
		return c.problem(node, Mistyped, "", "%s", err)
	}
	return c.useColumn(name, typ, f, columnPath{i})
}
