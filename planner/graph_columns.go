package planner

import (
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/expression"
)

// columns are those of a flow's rows between two of its steps, as far as they
// are known before a message is seen.
type columns struct {
	known []column
	open  bool // a message may bring more
}

// column is a column by its name.
type column struct {
	name  string
	typ   string       // as a schema clause writes it; empty if a message fixes it
	field *arrow.Field // nil without a type
}

// declared are the columns that a flow begins with.
func (f *Flow) declared() columns {
	if !f.Schema.Declared {
		return columns{open: true}
	}
	cs := columns{open: f.Schema.Open}
	for i, field := range f.Schema.Arrow().Fields() {
		cs.known = append(cs.known, column{name: field.Name, typ: f.Schema.Columns[i].Type.String(), field: &field})
	}
	return cs
}

// columnsAfter are the columns after each of the flow's steps.
func (f *Flow) columnsAfter() []columns {
	cs := f.declared()
	all := make([]columns, len(f.Steps))
	for i, s := range f.Steps {
		switch {
		case s.Select != nil:
			cs = cs.selected(s.Select, f.params)
		case s.Drop != nil:
			cs = cs.without(func(name string) bool {
				return slices.ContainsFunc(s.Drop, func(d DropColumn) bool { return d.Name == name })
			})
		}
		all[i] = cs
	}
	return all
}

// written are the columns that reach the sinks.
func (f *Flow) written() columns {
	if len(f.Steps) == 0 {
		return f.declared()
	}
	return f.columnsAfter()[len(f.Steps)-1]
}

func (cs columns) without(name func(string) bool) columns {
	known := slices.DeleteFunc(slices.Clone(cs.known), func(c column) bool { return name(c.name) })
	return columns{known: known, open: cs.open}
}

func (cs columns) selected(list []SelectColumn, params map[string]expression.Param) columns {
	var out columns
	for _, s := range list {
		if !s.Rest {
			out.known = append(out.known, cs.column(s, params))
			continue
		}
		rest := cs.without(func(name string) bool {
			return slices.ContainsFunc(list, func(s SelectColumn) bool { return !s.Rest && s.Name == name })
		})
		out.known, out.open = append(out.known, rest.known...), rest.open
	}
	return out
}

// column types a selected column, if everything that its type depends on is known.
func (cs columns) column(s SelectColumn, params map[string]expression.Param) column {
	if s.Value == nil {
		if c, ok := cs.named(s.Name); ok {
			return c
		}
	}
	parsed := s.parsed()
	if parsed == nil || !cs.decide(parsed) {
		return column{name: s.Name}
	}
	program, _ := parsed.Compile(expression.Environment{Schema: cs.schema(), Params: params})
	if program == nil {
		return column{name: s.Name}
	}
	field := program.Field(s.Name)
	return column{name: s.Name, typ: typeText(field), field: &field}
}

// parsed is what the column's value is; one that is not computed is read by name.
func (s SelectColumn) parsed() *expression.Expression {
	if s.Value != nil {
		return s.Value.parsed
	}
	if !strings.HasPrefix(s.Name, envelopePrefix) {
		return nil
	}
	parsed, _ := expression.Parse(s.Name)
	return parsed
}

func (cs columns) named(name string) (column, bool) {
	i := slices.IndexFunc(cs.known, func(c column) bool { return c.name == name })
	if i < 0 {
		return column{}, false
	}
	return cs.known[i], true
}

// decide says whether the type of an expression follows from the known columns.
func (cs columns) decide(e *expression.Expression) bool {
	return !slices.ContainsFunc(e.Columns(), func(r expression.Reference) bool {
		c, _ := cs.named(r.Name)
		return r.Kind == expression.ColumnReference && c.field == nil && !strings.HasPrefix(r.Name, envelopePrefix)
	})
}

// schema has the columns whose types are known.
func (cs columns) schema() *arrow.Schema {
	var fields []arrow.Field
	for _, c := range cs.known {
		if c.field != nil {
			fields = append(fields, *c.field)
		}
	}
	return arrow.NewSchema(fields, nil)
}

// String writes the columns as a schema clause does. A column without a type is
// one that the first message types.
func (cs columns) String() string {
	if len(cs.known) == 0 && cs.open {
		return "the columns of the first message"
	}
	var parts []string
	later := ""
	for _, c := range cs.known {
		if c.typ == "" {
			parts, later = append(parts, nameText(c.name)), "; the first message gives the types that are missing"
			continue
		}
		parts = append(parts, nameText(c.name)+": "+c.typ)
	}
	if cs.open {
		parts = append(parts, "...")
	}
	if len(parts) == 0 {
		return "{ }"
	}
	return "{ " + strings.Join(parts, ", ") + " }" + later
}

// addsEnvelope says whether the sink writes the envelope's columns behind the row's.
func (s *Sink) addsEnvelope() bool {
	return !s.Spec.Shaped && s.Spec.Settings.Text(connectors.EnvelopeKey) == "body"
}
