package rows

import (
	"slices"
	"strconv"
	"strings"
)

// Type is the type of one column, list element or record member. A Type is
// never changed once it is part of a Schema, so copies may share what they
// point to.
type Type struct {
	Kind     Kind `json:"kind"`
	Nullable bool `json:"nullable,omitempty"`

	// Inferred says that the type came from data. Inferred types are nullable
	// and may still grow: Open gets a kind, Int may become Float.
	Inferred bool `json:"inferred,omitempty"`

	// Wide marks an inferred Int column that has held an integer whose digits a
	// float would not give back, so that it can no longer become Float.
	Wide bool `json:"wide,omitempty"`

	// Elem is the element type of a List, nil for every other kind.
	Elem *Type `json:"elem,omitempty"`

	// Fields are the members of a Record, in the order of the output.
	Fields []Column `json:"fields,omitempty"`

	// Open says that a Record admits members that it does not list.
	Open bool `json:"open,omitempty"`
}

// Column is a name with its type: a column of a schema or a member of a record.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// inferredOpen is the type of a value about which nothing is known yet.
var inferredOpen = Type{Kind: Open, Nullable: true, Inferred: true}

// Equal reports whether t and other are the same in every respect.
func (t Type) Equal(other Type) bool {
	if t.Kind != other.Kind || t.Nullable != other.Nullable || t.Inferred != other.Inferred ||
		t.Wide != other.Wide || t.Open != other.Open || (t.Elem == nil) != (other.Elem == nil) {
		return false
	}
	if t.Elem != nil && !t.Elem.Equal(*other.Elem) {
		return false
	}
	return slices.EqualFunc(t.Fields, other.Fields, Column.equal)
}

func (c Column) equal(other Column) bool {
	return c.Name == other.Name && c.Type.Equal(other.Type)
}

// String gives t as a user writes it in a schema clause, for example
// "[{ sku: string, count: int? }]?". A type that is still open reads "untyped".
func (t Type) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t Type) write(b *strings.Builder) {
	switch t.Kind {
	case List:
		b.WriteByte('[')
		t.Elem.write(b)
		b.WriteByte(']')
	case Record:
		writeColumns(b, t.Fields, t.Open)
	default:
		b.WriteString(t.Kind.String())
	}
	if t.Nullable {
		b.WriteByte('?')
	}
}

func writeColumns(b *strings.Builder, columns []Column, open bool) {
	b.WriteString("{ ")
	for i, c := range columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(plainName(c.Name))
		b.WriteString(": ")
		c.Type.write(b)
	}
	if open {
		if len(columns) > 0 {
			b.WriteString(", ")
		}
		b.WriteString("...")
	}
	b.WriteString(" }")
}

// plainName gives an identifier as it is and quotes every other name, so that
// no name can act on a terminal or be mistaken for punctuation.
func plainName(name string) string {
	if isIdentifier(name) {
		return name
	}
	return strconv.Quote(name)
}

func isIdentifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
