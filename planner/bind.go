package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
)

// Pipeline is a flow's steps and routes, typed for the rows of one schema.
type Pipeline struct {
	Steps  []BoundStep
	Routes []BoundRoute  // one for each sink
	Output *arrow.Schema // after all steps
}

// BoundStep filters, or makes other columns; exactly one of its fields is set.
type BoundStep struct {
	Filter  *Condition
	Project *Projection
}

// Condition is a typed condition and where it stands.
type Condition struct {
	*expression.Program
	At *Expression
}

// Projection makes the columns of Schema.
type Projection struct {
	Schema  *arrow.Schema
	Columns []ProjectedColumn
}

// ProjectedColumn is a column as it was, at an index, or a computed one.
type ProjectedColumn struct {
	Index    int // of the input; -1 if the column is computed
	Computed *expression.Program
	At       *Expression // of a computed one
}

// BoundRoute says which rows a sink takes: those for which When is true, with
// Otherwise those that no When took, else all.
type BoundRoute struct {
	When      *Condition
	Otherwise bool
}

// envelopePrefix begins the names of the envelope's columns.
const envelopePrefix = "_flow_"

// Bind types the flow's steps for rows of a schema, which is nil if nothing is
// known of the columns: then every name stands for a null. The findings have
// their place in the file; the pipeline is nil if there is an error.
func (f *Flow) Bind(schema *arrow.Schema) (*Pipeline, lang.Diagnostics) {
	b := &binder{schema: schema, params: f.params, undeclared: map[lang.Span]bool{}}
	p := &Pipeline{}
	for _, s := range f.Steps {
		p.Steps = append(p.Steps, b.step(s))
	}
	for _, s := range f.Sinks {
		route := BoundRoute{Otherwise: s.Otherwise}
		if s.When != nil {
			route.When = b.condition(s.When)
		}
		p.Routes = append(p.Routes, route)
	}
	f.noteSchema(b)
	if b.findings.HasErrors() {
		return nil, b.findings
	}
	p.Output = b.schema
	return p, b.findings
}

// noteSchema points from findings about columns at the schema that declares them.
func (f *Flow) noteSchema(b *binder) {
	findings := b.findings
	if !f.Schema.Declared {
		return
	}
	for i := range findings {
		if findings[i].Code == codeUnknownField && !b.undeclared[findings[i].Span] {
			findings[i].Notes = append(findings[i].Notes, lang.Note{Source: f.file, Span: f.schema, Text: "the schema is declared here"})
		}
	}
}

type binder struct {
	schema   *arrow.Schema // as the next step finds it; nil if unknown
	params   map[string]expression.Param
	guessed  bool // a column of unknown type stands for one with a mistake
	findings lang.Diagnostics
	// undeclared are the places of names that no schema declares: parameters and members of msg.
	undeclared map[lang.Span]bool
}

func (b *binder) environment() expression.Environment {
	return expression.Environment{Schema: b.schema, Params: b.params}
}

func (b *binder) step(s Step) BoundStep {
	switch {
	case s.Where != nil:
		return BoundStep{Filter: b.condition(s.Where)}
	case s.Select != nil:
		return BoundStep{Project: b.selection(s.Select)}
	default:
		return BoundStep{Project: b.drop(s.Drop)}
	}
}

func (b *binder) condition(e *Expression) *Condition {
	program, problems := e.parsed.CompileFilter(b.environment())
	b.add(e, problems)
	return &Condition{Program: program, At: e}
}

func (b *binder) add(e *Expression, problems []expression.Problem) {
	for _, p := range problems {
		if slices.Contains(e.said, p) || p.Warning && b.guessed {
			continue
		}
		d := e.diagnostic(p)
		b.undeclared[d.Span] = slices.ContainsFunc(e.parsed.Columns(), func(r expression.Reference) bool {
			return r.Kind != expression.ColumnReference && r.Start < p.End && p.Start < r.End
		})
		b.findings = append(b.findings, d)
	}
}

func (b *binder) selection(columns []SelectColumn) *Projection {
	named := map[string]bool{}
	for _, c := range columns {
		named[c.Name] = true
	}
	var fields []arrow.Field
	p := &Projection{}
	for _, c := range columns {
		switch {
		case c.Rest:
			for i := range b.width() {
				if name := b.schema.Field(i).Name; !named[name] {
					fields = append(fields, b.schema.Field(i))
					p.Columns = append(p.Columns, ProjectedColumn{Index: i})
				}
			}
		default:
			field, column := b.column(c)
			fields = append(fields, field)
			p.Columns = append(p.Columns, column)
		}
	}
	b.project(p, fields, slices.ContainsFunc(columns, func(c SelectColumn) bool { return c.Rest }))
	return p
}

func (b *binder) width() int {
	if b.schema == nil {
		return 0
	}
	return b.schema.NumFields()
}

// column types one selected column. A column as it is may be one of the
// envelope, which only an expression reads.
func (b *binder) column(c SelectColumn) (arrow.Field, ProjectedColumn) {
	if c.broken {
		return b.guess(c)
	}
	value := c.Value
	if value == nil {
		if i, ok := b.index(c.Name); ok {
			return b.schema.Field(i), ProjectedColumn{Index: i}
		}
		if value = c.asExpression(b); value == nil {
			return b.guess(c)
		}
	}
	program, problems := value.parsed.Compile(b.environment())
	b.add(value, problems)
	if program == nil {
		return b.guess(c)
	}
	return program.Field(c.Name), ProjectedColumn{Index: -1, Computed: program, At: value}
}

// guess stands for a column with a mistake. It is a null, for which every
// operation is right, so that the mistake has no followers.
func (b *binder) guess(c SelectColumn) (arrow.Field, ProjectedColumn) {
	b.guessed = true
	return arrow.Field{Name: c.Name, Type: arrow.Null, Nullable: true}, ProjectedColumn{}
}

func (b *binder) index(name string) (int, bool) {
	if b.schema == nil {
		return 0, false
	}
	found := b.schema.FieldIndices(name)
	if len(found) == 0 {
		return 0, false
	}
	return found[0], true
}

// asExpression reads a bare column that is not in the schema as an expression:
// an envelope column, or a name that is then found to be unknown.
func (c SelectColumn) asExpression(b *binder) *Expression {
	if c.source == nil {
		return nil
	}
	parsed, problems := expression.Parse(fmt.Sprintf("$env[%q]", c.Name))
	e := &Expression{parsed: parsed, source: c.source, span: c.span}
	if parsed == nil {
		b.add(e, problems)
		return nil
	}
	if b.schema != nil && !strings.HasPrefix(c.Name, envelopePrefix) {
		b.findings = append(b.findings, unknownColumn(c.source, c.span, c.Name, b.schema))
		return nil
	}
	return e
}

func unknownColumn(source *lang.Source, span lang.Span, name string, schema *arrow.Schema) lang.Diagnostic {
	names := make([]string, schema.NumFields())
	for i := range names {
		names[i] = schema.Field(i).Name
	}
	return lang.Diagnostic{Code: codeUnknownField, Source: source, Span: span,
		Summary: fmt.Sprintf("unknown column `%s`", name), Label: didYouMean(name, names), Help: columnsHelp(names)}
}

// columnsHelp lists the columns that there are, if they are few.
func columnsHelp(names []string) string {
	const most = 12
	switch {
	case len(names) == 0:
		return "there are no columns"
	case len(names) > most:
		return "columns are " + quoted(names[:most]) + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return "columns are " + quoted(names)
}

func (b *binder) drop(columns []DropColumn) *Projection {
	dropped := map[string]bool{}
	for _, c := range columns {
		if _, ok := b.index(c.Name); !ok && b.schema != nil && !strings.HasPrefix(c.Name, envelopePrefix) {
			b.findings = append(b.findings, unknownColumn(c.source, c.span, c.Name, b.schema))
		}
		dropped[c.Name] = true
	}
	var fields []arrow.Field
	p := &Projection{}
	for i := range b.width() {
		if field := b.schema.Field(i); !dropped[field.Name] {
			fields = append(fields, field)
			p.Columns = append(p.Columns, ProjectedColumn{Index: i})
		}
	}
	b.project(p, fields, true)
	return p
}

// project makes the projection's columns those that the next step finds. Where
// nothing was known of the columns and some of them are kept, it still is not.
func (b *binder) project(p *Projection, fields []arrow.Field, keepsRest bool) {
	if b.schema == nil {
		p.Schema = arrow.NewSchema(fields, nil)
		if !keepsRest {
			b.schema = p.Schema
		}
		return
	}
	metadata := b.schema.Metadata()
	p.Schema = arrow.NewSchema(fields, &metadata)
	b.schema = p.Schema
}
