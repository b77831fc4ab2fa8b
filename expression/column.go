package expression

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// columnPath names a column by its index in the schema, and the indexes of the
// record members that lead from it to the values.
type columnPath []int

// bind finds the values of path in a batch that has the schema compiled for.
func (path columnPath) bind(batch arrow.RecordBatch) boundColumn {
	bound := boundColumn{values: batch.Column(path[0])}
	for _, member := range path[1:] {
		record := bound.values.(*array.Struct)
		bound.records = append(bound.records, record)
		bound.values = record.Field(member)
	}
	return bound
}

// column compiles the access to column number i of a program.
func column(t dataType, i int) operand {
	o := operand{typ: t, nullable: true}
	switch t.kind {
	case kindNull:
	case kindBool:
		o.eval = scalar(i, (*array.Boolean).Value)
	case kindInt:
		o.eval = scalar(i, (*array.Int64).Value)
	case kindFloat:
		o.eval = scalar(i, (*array.Float64).Value)
	case kindString, kindDecimal:
		o.eval = scalar(i, (*array.String).Value)
	case kindBytes:
		o.eval = scalar(i, (*array.Binary).ValueString)
	case kindTimestamp:
		o.eval = scalar(i, func(a *array.Timestamp, row int) int64 { return int64(a.Value(row)) })
	case kindDate:
		o.eval = scalar(i, func(a *array.Date32, row int) int64 { return int64(a.Value(row)) })
	default:
		o.eval = fn[any](func(f *frame) (any, bool) {
			if !f.columns[i].valid(f.row) {
				return nil, false
			}
			v := read(t, f.columns[i].values, f.row)
			return v, v != nil
		})
	}
	return o
}

func scalar[A arrow.Array, T any](i int, value func(A, int) T) fn[T] {
	return func(f *frame) (v T, ok bool) {
		bound := &f.columns[i]
		if !bound.valid(f.row) {
			return v, false
		}
		return value(bound.values.(A), f.row), true
	}
}

func (b *boundColumn) valid(row int) bool {
	for _, record := range b.records {
		if record.IsNull(row) {
			return false
		}
	}
	return b.values.IsValid(row)
}

// read returns the boxed value of a row, nil for null. Text is on loan from
// the array.
func read(t dataType, values arrow.Array, row int) any {
	if values.IsNull(row) {
		return nil
	}
	switch a := values.(type) {
	case *array.Boolean:
		return a.Value(row)
	case *array.Int64:
		return a.Value(row)
	case *array.Float64:
		return a.Value(row)
	case *array.String:
		if t.kind == kindJSON {
			return decodeJSON(a.Value(row))
		}
		return a.Value(row)
	case *array.Binary:
		return a.ValueString(row)
	case *array.Timestamp:
		return int64(a.Value(row))
	case *array.Date32:
		return int64(a.Value(row))
	case *array.List:
		from, to := a.ValueOffsets(row)
		list := make([]any, 0, to-from)
		for i := from; i < to; i++ {
			list = append(list, read(*t.elem, a.ListValues(), int(i)))
		}
		return list
	case *array.Struct:
		record := make([]any, len(t.fields))
		for i, member := range t.fields {
			record[i] = read(member.typ, a.Field(i), row)
		}
		return record
	}
	return nil
}
