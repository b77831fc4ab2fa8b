package planner

import (
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
)

// known is what is known of a flow's columns before a message is seen, as a
// schema: a column that the first message types is rows.Open, and an open schema
// may get more columns from messages.
type known struct{ rows.Schema }

// knownFirst are the columns that the flow's steps begin with.
func (f *Flow) knownFirst() known {
	if !f.Schema.Declared {
		return known{rows.Schema{Open: true}}
	}
	return known{rows.Schema{Columns: f.Schema.Columns, Open: f.Schema.Open}}
}

// knownAfter are the columns after each of the flow's steps.
func (f *Flow) knownAfter() []known {
	k := f.knownFirst()
	all := make([]known, len(f.Steps))
	for i, s := range f.Steps {
		switch {
		case s.Select != nil:
			k = k.selected(s.Select, f.params)
		case s.Drop != nil:
			k = k.without(func(name string) bool {
				return slices.ContainsFunc(s.Drop, func(d DropColumn) bool { return d.Name == name })
			})
		}
		all[i] = k
	}
	return all
}

// knownLast are the columns that reach the sinks.
func (f *Flow) knownLast() known {
	if len(f.Steps) == 0 {
		return f.knownFirst()
	}
	return f.knownAfter()[len(f.Steps)-1]
}

func (k known) without(dropped func(name string) bool) known {
	left := slices.DeleteFunc(slices.Clone(k.Columns), func(c rows.Column) bool { return dropped(c.Name) })
	return known{rows.Schema{Columns: left, Open: k.Open}}
}

func (k known) selected(list []SelectColumn, params map[string]expression.Param) known {
	var out known
	for _, s := range list {
		if !s.Rest {
			out.Columns = append(out.Columns, rows.Column{Name: s.Name, Type: k.typeOf(s, params)})
			continue
		}
		rest := k.without(func(name string) bool {
			return slices.ContainsFunc(list, func(s SelectColumn) bool { return !s.Rest && s.Name == name })
		})
		out.Columns, out.Open = append(out.Columns, rest.Columns...), rest.Open
	}
	return out
}

// typeOf is the type of a selected column, as far as it follows from known ones.
func (k known) typeOf(s SelectColumn, params map[string]expression.Param) rows.Type {
	if s.broken {
		return rows.Type{}
	}
	if s.Value == nil && !strings.HasPrefix(s.Name, envelopePrefix) {
		return k.column(s.Name)
	}
	parsed := s.value()
	if parsed == nil || !k.decides(parsed) {
		return rows.Type{}
	}
	program, _ := parsed.Compile(expression.Environment{Schema: k.typed().Arrow(), Params: params})
	if program == nil {
		return rows.Type{}
	}
	return typeOfField(program.Field(s.Name))
}

// value is the column's expression; an envelope column is one by itself.
func (c SelectColumn) value() *expression.Expression {
	if c.Value != nil {
		return c.Value.parsed
	}
	parsed, _ := expression.Parse(c.Name)
	return parsed
}

// column is the type of a column, rows.Open if it is not known.
func (k known) column(name string) rows.Type {
	i := slices.IndexFunc(k.Columns, func(c rows.Column) bool { return c.Name == name })
	if i < 0 {
		return rows.Type{}
	}
	return k.Columns[i].Type
}

// decides says whether the type of an expression follows from the known columns.
func (k known) decides(e *expression.Expression) bool {
	return !slices.ContainsFunc(e.Columns(), func(r expression.Reference) bool {
		return r.Kind == expression.ColumnReference && !strings.HasPrefix(r.Name, envelopePrefix) && k.column(r.Name).Kind == rows.Open
	})
}

// typed has the columns whose types are known.
func (k known) typed() rows.Schema {
	return rows.Schema{Columns: slices.DeleteFunc(slices.Clone(k.Columns), untyped)}
}

func untyped(c rows.Column) bool { return c.Type.Kind == rows.Open }

// String writes the columns as a schema clause does.
func (k known) String() string {
	switch {
	case len(k.Columns) == 0 && k.Open:
		return "the columns of the first message"
	case slices.ContainsFunc(k.Columns, untyped):
		return k.Schema.String() + "; the first message types what is untyped"
	}
	return k.Schema.String()
}
