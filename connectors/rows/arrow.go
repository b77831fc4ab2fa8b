package rows

import "github.com/apache/arrow-go/v18/arrow"

// TypeKey is the key of the field metadata which tells types apart that
// Arrow stores alike: its value is "decimal" or "json" on a string field, and
// "raw" on the payload column of a Raw schema.
const TypeKey = "flow.type"

// SparseKey is the key of the field metadata of a column that an open
// schema admitted. An Encoder leaves the column out of rows where it is null,
// so that a row reads the same whether it came before the column or after it.
const SparseKey = "flow.sparse"

// payloadColumn is the one column of a Raw schema.
const payloadColumn = "payload"

const rawType = "raw"

// Arrow gives the schema of the batches that s describes. A column that is
// still open has Arrow's null type.
func (s Schema) Arrow() *arrow.Schema {
	if s.Shape == Raw {
		raw := arrow.Field{
			Name: payloadColumn, Type: arrow.BinaryTypes.Binary, Nullable: true,
			Metadata: arrow.NewMetadata([]string{TypeKey}, []string{rawType}),
		}
		return arrow.NewSchema([]arrow.Field{raw}, nil)
	}
	return arrow.NewSchema(arrowFields(s.Columns, s.Open), nil)
}

func arrowFields(columns []Column, open bool) []arrow.Field {
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = arrowField(c.Name, c.Type, open && c.Type.Inferred)
	}
	return fields
}

func arrowField(name string, t Type, sparse bool) arrow.Field {
	var keys, values []string
	if t.Kind == Decimal || t.Kind == JSON {
		keys, values = append(keys, TypeKey), append(values, t.Kind.String())
	}
	if sparse {
		keys, values = append(keys, SparseKey), append(values, "true")
	}
	return arrow.Field{
		Name: name, Type: arrowType(t), Nullable: t.Nullable,
		Metadata: arrow.NewMetadata(keys, values),
	}
}

func arrowType(t Type) arrow.DataType {
	switch t.Kind {
	case Bool:
		return arrow.FixedWidthTypes.Boolean
	case Int:
		return arrow.PrimitiveTypes.Int64
	case Float:
		return arrow.PrimitiveTypes.Float64
	case String, Decimal, JSON:
		return arrow.BinaryTypes.String
	case Bytes:
		return arrow.BinaryTypes.Binary
	case Timestamp:
		return arrow.FixedWidthTypes.Timestamp_ns
	case Date:
		return arrow.FixedWidthTypes.Date32
	case List:
		return arrow.ListOfField(arrowField("item", *t.Elem, false))
	case Record:
		return arrow.StructOf(arrowFields(t.Fields, t.Open)...)
	default:
		return arrow.Null
	}
}
