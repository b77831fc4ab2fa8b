package expression

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// TypeKey is the key of the field metadata that tells a decimal or json column
// from text; its values are "decimal" and "json".
const TypeKey = "flow.type"

// kind is what a value is. Values of one kind share a Go type in closures:
// int64 for ints, timestamps (ns since 1970), durations (ns) and dates (days
// since 1970); string for text, bytes and decimals; any for the last three.
type kind uint8

const (
	kindNull kind = iota // always null: a column of which no value was seen
	kindBool
	kindInt
	kindFloat
	kindString
	kindBytes
	kindDecimal
	kindTimestamp
	kindDate
	kindDuration
	kindList   // []any
	kindRecord // []any, one for each field
	kindJSON   // what decodeJSON returns
)

var kindNames = [...]string{"nil", "bool", "int", "float", "string", "bytes", "decimal",
	"timestamp", "date", "duration", "list", "record", "json"}

func (k kind) String() string { return kindNames[k] }

// dataType is the type of an expression.
type dataType struct {
	kind   kind
	elem   *dataType // of a list
	fields []field   // of a record
}

type field struct {
	name string
	typ  dataType
}

func listOf(elem dataType) dataType { return dataType{kind: kindList, elem: &elem} }

// String writes the type as the language does: [string], { a: int }. It is for
// messages, and cuts what is long.
func (t dataType) String() string {
	var b strings.Builder
	t.write(&b)
	if s := b.String(); len(s) > longestType {
		return strings.ToValidUTF8(s[:longestType], "") + "..."
	}
	return b.String()
}

const longestType = 100

func (t dataType) write(b *strings.Builder) {
	switch {
	case b.Len() > longestType:
	case t.kind == kindList:
		b.WriteByte('[')
		t.elem.write(b)
		b.WriteByte(']')
	case t.kind == kindRecord:
		b.WriteString("{ ")
		for i, f := range t.fields {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(f.name + ": ")
			f.typ.write(b)
		}
		b.WriteString(" }")
	default:
		b.WriteString(t.kind.String())
	}
}

func (t dataType) equal(u dataType) bool {
	if t.kind != u.kind || len(t.fields) != len(u.fields) {
		return false
	}
	if t.kind == kindList {
		return t.elem.equal(*u.elem)
	}
	return slices.EqualFunc(t.fields, u.fields, func(a, b field) bool {
		return a.name == b.name && a.typ.equal(b.typ)
	})
}

// has reports whether values of the type hold any of a kind. Boxed decimals,
// for one, compare as text: equality of what has them would not be exact.
func (t dataType) has(k kind) bool {
	return t.kind == k || t.elem != nil && t.elem.has(k) ||
		slices.ContainsFunc(t.fields, func(f field) bool { return f.typ.has(k) })
}

func (t dataType) fieldIndex(name string) int {
	return slices.IndexFunc(t.fields, func(f field) bool { return f.name == name })
}

func (t dataType) fieldNames() []string {
	names := make([]string, len(t.fields))
	for i, f := range t.fields {
		names[i] = f.name
	}
	return names
}

func (t dataType) numeric() bool {
	return t.kind == kindInt || t.kind == kindFloat || t.kind == kindDecimal
}

// unify returns the type that holds values of both: the same type, a float for
// int and float, or the other type where one is always null.
func unify(a, b dataType) (dataType, bool) {
	switch {
	case a.kind == kindNull:
		return b, true
	case b.kind == kindNull:
		return a, true
	case a.kind == kindInt && b.kind == kindFloat:
		return b, true
	case a.kind == kindFloat && b.kind == kindInt:
		return a, true
	case a.kind == kindList && b.kind == kindList:
		elem, ok := unify(*a.elem, *b.elem)
		return listOf(elem), ok
	}
	return a, a.equal(b)
}

// fromArrow gives the type of a column's values.
func fromArrow(f arrow.Field) (dataType, error) {
	switch t := f.Type.(type) {
	case *arrow.StructType:
		record := dataType{kind: kindRecord}
		for _, member := range t.Fields() {
			typ, err := fromArrow(member)
			if err != nil {
				return dataType{}, err
			}
			record.fields = append(record.fields, field{member.Name, typ})
		}
		return record, nil
	case *arrow.ListType:
		elem, err := fromArrow(t.ElemField())
		return listOf(elem), err
	case *arrow.TimestampType:
		if t.Unit == arrow.Nanosecond {
			return dataType{kind: kindTimestamp}, nil
		}
	case *arrow.StringType:
		switch name, _ := f.Metadata.GetValue(TypeKey); name {
		case "decimal":
			return dataType{kind: kindDecimal}, nil
		case "json":
			return dataType{kind: kindJSON}, nil
		}
		return dataType{kind: kindString}, nil
	}
	for k, t := range arrowTypes {
		if arrow.TypeEqual(t, f.Type) {
			return dataType{kind: k}, nil
		}
	}
	return dataType{}, fmt.Errorf("column `%s` has the type %s, which expressions do not know", f.Name, f.Type)
}

var arrowTypes = map[kind]arrow.DataType{
	kindNull:      arrow.Null,
	kindBool:      arrow.FixedWidthTypes.Boolean,
	kindInt:       arrow.PrimitiveTypes.Int64,
	kindFloat:     arrow.PrimitiveTypes.Float64,
	kindBytes:     arrow.BinaryTypes.Binary,
	kindTimestamp: arrow.FixedWidthTypes.Timestamp_ns,
	kindDate:      arrow.FixedWidthTypes.Date32,
	kindDuration:  arrow.FixedWidthTypes.Duration_ns,
}

// toArrow gives the column that holds values of t.
func (t dataType) toArrow(name string, nullable bool) arrow.Field {
	f := arrow.Field{Name: name, Nullable: nullable}
	switch t.kind {
	case kindList:
		f.Type = arrow.ListOfField(t.elem.toArrow("item", true))
	case kindRecord:
		members := make([]arrow.Field, len(t.fields))
		for i, member := range t.fields {
			members[i] = member.typ.toArrow(member.name, true)
		}
		f.Type = arrow.StructOf(members...)
	case kindDecimal, kindJSON:
		f.Type = arrow.BinaryTypes.String
		f.Metadata = arrow.NewMetadata([]string{TypeKey}, []string{t.kind.String()})
	case kindString:
		f.Type = arrow.BinaryTypes.String
	default:
		f.Type = arrowTypes[t.kind]
	}
	return f
}
