package expression

import (
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/expr-lang/expr/ast"
)

// Program is an expression compiled for a schema. It is immutable and safe for
// concurrent use.
type Program struct {
	result  operand
	schema  *arrow.Schema
	columns []columnPath
	scopes  int
	now     func() time.Time
}

// Compile resolves names and types. It reports all unknown names and all
// mistakes in types that do not follow from another one. The program is nil if
// a problem is more than a warning.
func (e *Expression) Compile(env Environment) (*Program, []Problem) {
	c := newCompiler(e, env)
	return c.program(e.root)
}

// CompileFilter is Compile for a condition: the result must be a bool, and
// comparisons that drop rows because of a null get a warning.
func (e *Expression) CompileFilter(env Environment) (*Program, []Problem) {
	c := newCompiler(e, env)
	c.operands = map[ast.Node]operand{}
	p, problems := c.program(e.root)
	if p == nil {
		return nil, problems
	}
	if k := p.result.typ.kind; k != kindBool && k != kindNull {
		at := e.source.whole()
		return nil, append(problems, Problem{Start: at.start, End: at.end, Kind: Mistyped,
			Message: "expected a condition (bool), found " + p.result.typ.String(), Help: c.conversionHelp(p.result, kindBool)})
	}
	c.notes(e.root)
	return p, ordered(c.problems)
}

func (c *compiler) program(root ast.Node) (*Program, []Problem) {
	result := c.compile(root)
	if result.typ.has(kindDuration) {
		c.problem(root, Mistyped, "write seconds(...) or string(...)", "a duration cannot be a result, found %s", result.typ)
	}
	if failed(c.problems) {
		return nil, ordered(c.problems)
	}
	p := &Program{result: result, schema: c.env.Schema, columns: c.columns, scopes: c.deepest, now: c.env.Now}
	if p.now == nil {
		p.now = time.Now
	}
	return p, ordered(c.problems)
}

// Type returns the type of the column that Column makes. A decimal and json
// are of type String; Field tells them apart.
func (p *Program) Type() arrow.DataType { return p.Field("").Type }

// Nullable reports whether the result can be null.
func (p *Program) Nullable() bool { return p.result.nullable }

// Field describes the column that Column makes, under a name.
func (p *Program) Field(name string) arrow.Field {
	if use := p.result.column; use != nil {
		f := use.field
		f.Name = name
		return f
	}
	return p.result.typ.toArrow(name, p.result.nullable || p.result.typ.kind == kindNull)
}
