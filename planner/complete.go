package planner

import (
	"maps"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
)

// Scope is what an expression or a template at a place of a flow may name.
type Scope struct {
	// Columns are those known before a message is seen: of the declared schema, or
	// as the steps before the place made them.
	Columns []rows.Column
	Params  []rows.Column // the file's parameters, by name
}

// ScopeAt is the scope at a byte offset of a file, which may have errors: what
// did not parse adds nothing. Between flows there are no columns.
func ScopeAt(file *lang.File, offset int) Scope {
	c := &compiler{source: file.Source, connections: map[string]*Connection{}, schemas: map[string]namedSchema{}}
	c.namedSchemas(file)
	c.params(file)
	var s Scope
	for _, name := range slices.Sorted(maps.Keys(c.parameters)) {
		s.Params = append(s.Params, rows.Column{Name: name, Type: typeOfField(c.parameters[name].Field)})
	}
	if i := flowAt(file, offset); i >= 0 {
		s.Columns = c.columnsAt(file.Flows[i], offset)
	}
	return s
}

// flowAt is the index of the flow that an offset belongs to: a flow reaches to
// the next one, since what is being written need not parse. It is -1 for none.
func flowAt(file *lang.File, offset int) int {
	for i, f := range slices.Backward(file.Flows) {
		if f.Span().Start <= offset {
			return i
		}
	}
	return -1
}

func (c *compiler) columnsAt(parsed *lang.Flow, offset int) []rows.Column {
	f := &Flow{file: c.source, params: c.parameters, Schema: c.flowSchema(parsed.Schema).schema}
	if f.Schema.Validate() != nil {
		return nil
	}
	before := *parsed
	before.Steps = slices.DeleteFunc(slices.Clone(parsed.Steps), func(s lang.Step) bool { return s.Span().End > offset })
	c.steps(f, &before)
	return f.knownLast().Columns
}

// TypeNames are the names of types in a schema.
func TypeNames() []string {
	names := make([]string, len(scalarTypes))
	for i, k := range scalarTypes {
		names[i] = k.String()
	}
	return names
}

// EpochFields are the options of an epoch.
func EpochFields() connectors.Fields { return slices.Clone(epochFields) }

// EnvelopeColumns are the columns that a row has beside its payload.
func EnvelopeColumns() []rows.Column {
	return described("", "_flow_event_id", "_flow_subject", "_flow_stream", "_flow_sequence", "_flow_time", "_flow_operation", "_flow_key")
}

// MessageMembers are the members of msg but for headers, which take a name.
func MessageMembers() []rows.Column {
	return described("msg.", "subject", "stream", "sequence", "time", "operation", "key")
}

// described gives names the types that they have as expressions behind a prefix.
func described(prefix string, names ...string) []rows.Column {
	columns := make([]rows.Column, len(names))
	for i, name := range names {
		parsed, _ := expression.Parse(prefix + name)
		program, _ := parsed.Compile(expression.Environment{})
		columns[i] = rows.Column{Name: name, Type: typeOfField(program.Field(name))}
	}
	return columns
}
