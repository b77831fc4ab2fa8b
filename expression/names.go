package expression

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

// Names that are no columns. A payload column of the same name is reached
// through $env.
const (
	envName   = "$env"
	msgName   = "msg"
	paramName = "param"
)

// identifier resolves a bare name.
func (c *compiler) identifier(n *ast.IdentifierNode) operand {
	switch n.Value {
	case envName:
		return c.problem(n, Syntax, `write $env["name"]`, "`$env` needs the name of a column")
	case msgName:
		return c.problem(n, Syntax, c.shadowHelp(msgName), "`msg` needs a member: %s", strings.Join(messageMembers, ", "))
	case paramName:
		return c.problem(n, Syntax, c.shadowHelp(paramName), "`param` needs the name of a parameter")
	}
	return c.columnNamed(n, n.Value)
}

func (c *compiler) shadowHelp(name string) string {
	if c.hasColumn(name) {
		return fmt.Sprintf("the column is written $env[%q]", name)
	}
	return ""
}

// columnNamed resolves the name of a root column, at node.
func (c *compiler) columnNamed(node ast.Node, name string) operand {
	if o, ok := envelopeColumn(name); ok {
		return o
	}
	if c.env.Schema == nil {
		return null()
	}
	if c.hasColumn(name) {
		return c.schemaColumn(node, name)
	}
	if strings.HasPrefix(name, "_flow_") {
		return c.unknown(node, "column", name, slices.Sorted(maps.Keys(envelopeColumns)))
	}
	return c.unknown(node, "column", name, c.schemaNames())
}

// unknown reports a name that does not exist.
func (c *compiler) unknown(node ast.Node, what, name string, candidates []string) operand {
	at := c.source.span(node)
	p := Problem{Start: at.start, End: at.end, Kind: UnknownName, Message: fmt.Sprintf("unknown %s `%s`", what, name)}
	if near := nearest(name, candidates); near != "" {
		p.Label = fmt.Sprintf("did you mean `%s`?", near)
		p.Suggestion = near
		if what == "column" && !plainName(near) {
			p.Suggestion = fmt.Sprintf("$env[%q]", near)
		}
		if strings.HasPrefix(c.source.slice(at), `"`) {
			p.Suggestion = strconv.Quote(near)
		}
	} else if len(candidates) > 0 {
		p.Help = fmt.Sprintf("known: %s", enumerate(candidates))
	}
	c.report(p)
	return null()
}

// unknownMember reports a member, written at property, that base does not have.
func (c *compiler) unknownMember(base, property ast.Node, name string, members []string) operand {
	o := c.unknown(property, "member", name, members)
	last := &c.problems[len(c.problems)-1]
	if _, element := base.(*ast.PointerNode); !element {
		last.Message += fmt.Sprintf(" of `%s`", c.source.slice(c.source.span(base)))
	}
	return o
}

// enumerate lists names, the first few of many.
func enumerate(names []string) string {
	const most = 12
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// plainName reports whether a column's name can be written as it is.
func plainName(name string) bool {
	if slices.Contains([]string{"true", "false", "nil", envName, msgName, paramName}, name) {
		return false
	}
	src, err := newSource(name)
	return err == nil && len(src.tokens) == 1 && src.tokens[0].Kind == "Identifier" && src.tokens[0].Value == name
}

// member resolves base.name and base[index].
func (c *compiler) member(n *ast.MemberNode) operand {
	if root, ok := n.Node.(*ast.IdentifierNode); ok {
		name, named := n.Property.(*ast.StringNode)
		switch {
		case root.Value == envName && named:
			return c.columnNamed(n.Property, name.Value)
		case root.Value == envName:
			return c.problem(n.Property, Syntax, `write $env["name"]`, "the name of a column must be written as text")
		case root.Value == paramName && named:
			return c.param(n, name.Value)
		case root.Value == msgName && named:
			return c.message(n, name.Value)
		}
	}
	if isHeaders(n.Node) {
		return c.header(n)
	}
	return c.memberOf(n, c.compile(n.Node))
}

func (c *compiler) param(n *ast.MemberNode, name string) operand {
	p, ok := c.env.Params[name]
	if !ok {
		if c.env.Params == nil && c.env.Schema == nil {
			return null()
		}
		return c.unknown(n.Property, "parameter", name, slices.Sorted(maps.Keys(c.env.Params)))
	}
	typ, err := fromArrow(p.Field)
	if err != nil {
		return c.problem(n, Mistyped, "", "parameter `%s`: %s", name, err)
	}
	return literalOf(typ, paramValue(typ, p.Value))
}

// paramValue boxes a parameter's value.
func paramValue(t dataType, value any) any {
	switch v := value.(type) {
	case time.Time:
		if t.kind == kindDate {
			return floorDiv(v.Unix(), secondsPerDay)
		}
		return v.UnixNano()
	case []byte:
		return string(v)
	case string:
		if t.kind == kindJSON {
			return decodeJSON(v)
		}
	}
	return value
}

// dashed returns the column that a chain of subtractions spells, as in job-id,
// where a name in it is unknown.
func (c *compiler) dashed(n *ast.BinaryNode) (string, bool) {
	names, ok := dashedNames(n)
	if !ok || !c.hasColumn(strings.Join(names, "-")) {
		return "", false
	}
	for _, name := range names {
		if !c.hasColumn(name) {
			return strings.Join(names, "-"), true
		}
	}
	return "", false
}

func dashedNames(node ast.Node) ([]string, bool) {
	switch n := node.(type) {
	case *ast.IdentifierNode:
		return []string{n.Value}, true
	case *ast.BinaryNode:
		left, ok := dashedNames(n.Left)
		right, isName := n.Right.(*ast.IdentifierNode)
		if n.Operator != "-" || !ok || !isName {
			return nil, false
		}
		return append(left, right.Value), true
	}
	return nil, false
}
