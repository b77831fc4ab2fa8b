package expression

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/expr-lang/expr/ast"
)

// fn computes a value for the frame's row; false means null. After a row error
// it returns null, and the frame keeps the error.
type fn[T any] func(*frame) (T, bool)

// operand is a compiled node: its type and the closure that computes it.
type operand struct {
	node     ast.Node
	typ      dataType
	nullable bool
	eval     any // fn[bool], fn[int64], fn[float64], fn[string] or fn[any], by kind; nil if always null
	constant any // the boxed value if it is known before any row; else nil
	column   *columnUse
	bounds   *[2]operand // of an interval as it stands
}

// columnUse marks an operand that is a column as it stands.
type columnUse struct {
	name  string // as written: cust.tier
	field arrow.Field
	path  columnPath
	slot  int // in frame.columns
}

// as returns the closure of an operand whose kind is held as T.
func as[T any](o operand) fn[T] {
	if o.typ.kind == kindNull {
		return nullOf[T]
	}
	return o.eval.(fn[T])
}

func nullOf[T any](*frame) (v T, ok bool) { return v, false }

// computed is an operand that may be null.
func computed[T any](k kind, eval fn[T]) operand {
	return operand{typ: dataType{kind: k}, nullable: true, eval: eval}
}

func null() operand { return operand{nullable: true} }

// literal is an operand that has one value.
func literal[T any](k kind, v T) operand {
	return operand{typ: dataType{kind: k}, constant: v, eval: fn[T](func(*frame) (T, bool) { return v, true })}
}

func literalOf(t dataType, v any) operand {
	var o operand
	switch v := v.(type) {
	case nil:
		return fromBoxed(t, nullOf[any])
	case bool:
		o = literal(t.kind, v)
	case int64:
		o = literal(t.kind, v)
	case float64:
		o = literal(t.kind, v)
	case string:
		o = literal(t.kind, v)
		if t.kind == kindJSON {
			o = literal[any](t.kind, v)
		}
	default:
		o = literal[any](t.kind, v)
	}
	o.typ = t
	return o
}

// boxed returns a closure that yields the value of any operand as any.
func boxed(o operand) fn[any] {
	switch o.typ.kind {
	case kindNull:
		return nullOf[any]
	case kindBool:
		return box(as[bool](o))
	case kindInt, kindTimestamp, kindDate, kindDuration:
		return box(as[int64](o))
	case kindFloat:
		return box(as[float64](o))
	case kindString, kindBytes, kindDecimal:
		return box(as[string](o))
	}
	return as[any](o)
}

func box[T any](eval fn[T]) fn[any] {
	return func(f *frame) (any, bool) {
		v, ok := eval(f)
		if !ok {
			return nil, false
		}
		return v, true
	}
}

// fromBoxed gives the operand of type t over values that are held as any.
func fromBoxed(t dataType, eval fn[any]) operand {
	o := operand{typ: t, nullable: true}
	switch t.kind {
	case kindNull:
	case kindBool:
		o.eval = unbox[bool](eval)
	case kindInt, kindTimestamp, kindDate, kindDuration:
		o.eval = unbox[int64](eval)
	case kindFloat:
		o.eval = unbox[float64](eval)
	case kindString, kindBytes, kindDecimal:
		o.eval = unbox[string](eval)
	default:
		o.eval = eval
	}
	return o
}

func unbox[T any](eval fn[any]) fn[T] {
	return func(f *frame) (T, bool) {
		v, ok := eval(f)
		if !ok || v == nil {
			var zero T
			return zero, false
		}
		return v.(T), true
	}
}

// isNull returns a closure that tells whether the operand is null.
func isNull(o operand) func(*frame) bool {
	if o.column != nil && o.typ.kind != kindNull && o.typ.kind != kindJSON {
		slot := o.column.slot
		return func(f *frame) bool { return !f.columns[slot].valid(f.row) }
	}
	switch o.typ.kind {
	case kindNull:
		return func(*frame) bool { return true }
	case kindBool:
		return absent(as[bool](o))
	case kindInt, kindTimestamp, kindDate, kindDuration:
		return absent(as[int64](o))
	case kindFloat:
		return absent(as[float64](o))
	case kindString, kindBytes, kindDecimal:
		return absent(as[string](o))
	}
	return absent(as[any](o))
}

func absent[T any](eval fn[T]) func(*frame) bool {
	return func(f *frame) bool {
		_, ok := eval(f)
		return !ok
	}
}
