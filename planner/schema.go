package planner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/lang"
)

// namedSchemas plans the schemas that the file names.
func (c *compiler) namedSchemas(file *lang.File) {
	clear(c.schemas)
	for _, declared := range file.Schemas {
		name := declared.Name.Name
		if first, again := c.schemas[name]; again {
			c.report(lang.Diagnostic{Code: codeSameName, Span: declared.Name.Span(), Summary: fmt.Sprintf("two schemas are called `%s`", name),
				Notes: []lang.Note{{Source: c.source, Span: first.span, Text: "the first one"}}})
			continue
		}
		c.schemas[name] = c.schemaAt(declared.Record, declared.Name.Span())
	}
}

type namedSchema struct {
	schema rows.Schema
	span   lang.Span
	broken bool // a mistake in it is reported
}

// schemaAt is the schema of a record that is declared at a place.
func (c *compiler) schemaAt(record *lang.Record, declared lang.Span) namedSchema {
	before := len(c.findings)
	schema := c.schemaOf(record)
	return namedSchema{schema: schema, span: declared, broken: c.findings[before:].HasErrors()}
}

// flowSchema is the schema that a flow declares; the zero one if it declares none.
func (c *compiler) flowSchema(parsed *lang.Schema) namedSchema {
	switch {
	case parsed == nil:
		return namedSchema{}
	case parsed.Record != nil:
		return c.schemaAt(parsed.Record, parsed.Record.Span())
	}
	known, ok := c.schemas[parsed.Name.Name]
	if !ok {
		names := slices.Sorted(maps.Keys(c.schemas))
		c.report(lang.Diagnostic{Code: codeUnknownSchema, Span: parsed.Name.Span(), Summary: fmt.Sprintf("unknown schema `%s`", parsed.Name.Name),
			Label: didYouMean(parsed.Name.Name, names), Help: fmt.Sprintf("declare it before the flow: `schema %s { ... }`", parsed.Name.Name)})
		return namedSchema{broken: true}
	}
	return known
}

func (c *compiler) schemaOf(record *lang.Record) rows.Schema {
	columns, open := c.columns(record)
	for _, col := range record.Columns {
		if col.Name != nil && strings.HasPrefix(col.Name.Text(), envelopePrefix) {
			c.report(lang.Diagnostic{Code: codeSchema, Span: col.Name.Span(), Summary: fmt.Sprintf("`%s` is a column of the envelope, which no payload brings", col.Name.Text()),
				Help: "leave it out: expressions and `select` know the envelope's columns without it"})
		}
	}
	schema := rows.Schema{Shape: rows.Object, Declared: true, Columns: columns, Open: open}
	if err := schema.Validate(); err != nil {
		c.errorf(codeSchema, record.Span(), "the schema cannot be used: %v", err)
	}
	return schema
}

func (c *compiler) columns(record *lang.Record) (columns []rows.Column, open bool) {
	seen := map[string]lang.Span{}
	for _, col := range record.Columns {
		if col.Rest {
			open = true
			continue
		}
		name := col.Name.Text()
		if first, again := seen[name]; again {
			c.report(lang.Diagnostic{Code: codeSameName, Span: col.Name.Span(), Summary: fmt.Sprintf("two columns are called `%s`", name),
				Notes: []lang.Note{{Source: c.source, Span: first, Text: "the first one"}}})
			continue
		}
		seen[name] = col.Name.Span()
		if t, ok := c.typeOf(col.Type); ok {
			columns = append(columns, rows.Column{Name: name, Type: t})
		}
	}
	return columns, open
}

// scalarTypes are the names of types in a schema.
var scalarTypes = []rows.Kind{rows.Bool, rows.Int, rows.Float, rows.String, rows.Bytes, rows.Timestamp, rows.Date, rows.Decimal, rows.JSON}

func (c *compiler) typeOf(parsed *lang.Type) (rows.Type, bool) {
	t := rows.Type{Nullable: parsed.Nullable}
	switch {
	case parsed.Element != nil:
		element, ok := c.typeOf(parsed.Element)
		t.Kind, t.Elem = rows.List, &element
		return t, ok
	case parsed.Record != nil:
		t.Kind = rows.Record
		t.Fields, t.Open = c.columns(parsed.Record)
		return t, true
	}
	var names []string
	for _, k := range scalarTypes {
		if names = append(names, k.String()); k.String() == parsed.Name.Name {
			t.Kind = k
			return t, true
		}
	}
	c.report(lang.Diagnostic{Code: codeUnknownType, Span: parsed.Name.Span(), Summary: fmt.Sprintf("unknown type `%s`", parsed.Name.Name),
		Label: didYouMean(parsed.Name.Name, names), Help: "types are " + quoted(names) + ", `[TYPE]` and `{ NAME: TYPE }`, each with `?` if it may be null"})
	return t, false
}
