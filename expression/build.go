package expression

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// build computes the kept ones of so many rows into a new array.
func (p *Program) build(f *frame, rows int, keep []bool, passOver PassOver) (arrow.Array, error) {
	builder := array.NewBuilder(memory.DefaultAllocator, p.Type())
	defer builder.Release()
	builder.Reserve(rows)
	appendRow := p.appender(builder)
	for row := range rows {
		if keep != nil && !keep[row] {
			builder.AppendNull()
			continue
		}
		f.start(row)
		appendRow(f)
		if f.err != nil && !passOver.takes(f.err) {
			return nil, f.err
		}
	}
	return builder.NewArray(), nil
}

// appender returns a closure that appends the result for the frame's row.
func (p *Program) appender(builder array.Builder) func(*frame) {
	switch b := builder.(type) {
	case *array.BooleanBuilder:
		return appendTo(as[bool](p.result), b, b.Append)
	case *array.Int64Builder:
		return appendTo(as[int64](p.result), b, b.Append)
	case *array.Float64Builder:
		return appendTo(as[float64](p.result), b, b.Append)
	case *array.TimestampBuilder:
		return appendTo(as[int64](p.result), b, func(v int64) { b.Append(arrow.Timestamp(v)) })
	case *array.Date32Builder:
		return appendTo(as[int64](p.result), b, func(v int64) { b.Append(arrow.Date32(v)) })
	case *array.BinaryBuilder:
		return appendTo(as[string](p.result), b, b.AppendString)
	case *array.StringBuilder:
		if p.result.typ.kind != kindJSON {
			return appendTo(as[string](p.result), b, b.Append)
		}
	}
	typ := p.result.typ
	return appendTo(boxed(p.result), builder, func(v any) { appendValue(builder, typ, v) })
}

func appendTo[T any](eval fn[T], b array.Builder, add func(T)) func(*frame) {
	return func(f *frame) {
		if v, ok := eval(f); ok {
			add(v)
		} else {
			b.AppendNull()
		}
	}
}

// appendValue appends a boxed value.
func appendValue(builder array.Builder, t dataType, v any) {
	if v == nil {
		builder.AppendNull()
		return
	}
	switch b := builder.(type) {
	case *array.BooleanBuilder:
		b.Append(v.(bool))
	case *array.Int64Builder:
		b.Append(v.(int64))
	case *array.Float64Builder:
		b.Append(v.(float64))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(v.(int64)))
	case *array.Date32Builder:
		b.Append(arrow.Date32(v.(int64)))
	case *array.BinaryBuilder:
		b.AppendString(v.(string))
	case *array.StringBuilder:
		if t.kind == kindJSON {
			b.Append(string(appendJSON(nil, t, v)))
		} else {
			b.Append(v.(string))
		}
	case *array.ListBuilder:
		b.Append(true)
		for _, element := range v.([]any) {
			appendValue(b.ValueBuilder(), *t.elem, element)
		}
	case *array.StructBuilder:
		b.Append(true)
		for i, member := range v.([]any) {
			appendValue(b.FieldBuilder(i), t.fields[i].typ, member)
		}
	case *array.NullBuilder:
		b.AppendNull()
	}
}
