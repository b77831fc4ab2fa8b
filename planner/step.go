package planner

import (
	"fmt"

	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
)

// Step is one where, select or drop; exactly one of its fields is set.
type Step struct {
	Where  *Expression
	Select []SelectColumn
	Drop   []DropColumn
}

// SelectColumn is a column of a select: the rest, a column as it is, or a new one.
type SelectColumn struct {
	Rest  bool
	Name  string
	Value *Expression // nil: the column of that name

	broken bool // its expression cannot be read, which is reported
	source *lang.Source
	span   lang.Span
}

// DropColumn is a column that a drop takes away.
type DropColumn struct {
	Name string

	source *lang.Source
	span   lang.Span
}

// Expression is an expression at its place in a file.
type Expression struct {
	parsed *expression.Expression
	said   []expression.Problem // reported when it was parsed
	line   string
	source *lang.Source
	span   lang.Span
}

// text is the expression on one line, without comments; empty for none.
func (e *Expression) text() string {
	if e == nil {
		return ""
	}
	return e.line
}

// Place is where a part of the expression's text stands.
func (e *Expression) Place(start, end int) (*lang.Source, lang.Span) {
	return e.source, lang.Span{Start: e.span.Start + start, End: e.span.Start + end}
}

func (c *compiler) expression(parsed *lang.Expr) *Expression {
	e := &Expression{line: parsed.Line, source: c.source, span: parsed.Span()}
	e.parsed, e.said = expression.Parse(parsed.Text)
	c.problems(e, e.said)
	if e.parsed == nil {
		return nil
	}
	return e
}

// problems reports what was found in an expression.
func (c *compiler) problems(e *Expression, problems []expression.Problem) {
	for _, p := range problems {
		c.findings = append(c.findings, e.diagnostic(p))
	}
}

var problemCodes = map[expression.ProblemKind]lang.Code{
	expression.Syntax:      codeExpression,
	expression.UnknownName: codeUnknownField,
	expression.Mistyped:    codeExpressionType,
	expression.BadValue:    codeExpressionValue,
	expression.Suspicious:  codeSuspicious,
}

func (e *Expression) diagnostic(p expression.Problem) lang.Diagnostic {
	d := lang.Diagnostic{Code: problemCodes[p.Kind], Summary: p.Message, Label: p.Label, Help: p.Help}
	d.Source, d.Span = e.Place(p.Start, p.End)
	if p.Warning {
		d.Severity = lang.Warning
	}
	return d
}

func (c *compiler) steps(f *Flow, parsed *lang.Flow) {
	for _, s := range parsed.Steps {
		switch s := s.(type) {
		case *lang.Where:
			if e := c.expression(s.Expr); e != nil {
				f.Steps = append(f.Steps, Step{Where: e})
			}
		case *lang.Select:
			f.Steps = append(f.Steps, Step{Select: c.selectColumns(s)})
		case *lang.Drop:
			f.Steps = append(f.Steps, Step{Drop: c.dropColumns(s)})
		}
	}
}

func (c *compiler) selectColumns(s *lang.Select) []SelectColumn {
	columns := []SelectColumn{}
	seen := map[string]lang.Span{}
	for _, field := range s.Fields {
		column := SelectColumn{Rest: field.Rest, source: c.source, span: field.Span()}
		name := "..."
		if !field.Rest {
			name = field.Name.Text()
			column.Name, column.span = name, field.Name.Span()
		}
		if first, again := seen[name]; again {
			c.report(lang.Diagnostic{Code: codeSameName, Span: column.span, Summary: fmt.Sprintf("`%s` is selected twice", name),
				Notes: []lang.Note{{Source: c.source, Span: first, Text: "the first time"}}})
			continue
		}
		seen[name] = column.span
		if field.Expr != nil {
			column.Value = c.expression(field.Expr)
			column.broken = column.Value == nil
		}
		columns = append(columns, column)
	}
	return columns
}

func (c *compiler) dropColumns(s *lang.Drop) []DropColumn {
	columns := make([]DropColumn, len(s.Columns))
	for i, name := range s.Columns {
		columns[i] = DropColumn{Name: name.Text(), source: c.source, span: name.Span()}
	}
	return columns
}

// Shaped says whether the flow chooses its columns.
func (f *Flow) Shaped() bool {
	for _, s := range f.Steps {
		if s.Where == nil {
			return true
		}
	}
	return false
}
