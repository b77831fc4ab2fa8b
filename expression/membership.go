package expression

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/expr-lang/expr/ast"
)

// membership compiles x in list, "name" in record, x in 1..10.
func (c *compiler) membership(n *ast.BinaryNode, l, r operand) operand {
	if r.bounds != nil && l.typ.kind == kindInt {
		return c.between(l, r.bounds[0], r.bounds[1])
	}
	switch r.typ.kind {
	case kindNull:
		return nullableIf(true, computed(kindBool, nullOf[bool]))
	case kindRecord:
		return c.hasMember(l, r)
	case kindJSON:
		return c.inJSON(n, l, r)
	case kindList:
		return c.inList(n, l, r)
	}
	return c.problem(n.Right, Mistyped, inHelp(r), "`in` takes a list on its right, found %s", r.typ)
}

func inHelp(r operand) string {
	if r.typ.kind == kindString {
		return `write ["a", "b"] for a list, or use contains`
	}
	return ""
}

// between avoids building the list of x in 1..1000000.
func (c *compiler) between(x, low, high operand) operand {
	v, from, to := as[int64](x), as[int64](low), as[int64](high)
	return computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		n, ok := v(f)
		a, lowOK := from(f)
		b, highOK := to(f)
		return a <= n && n <= b, ok && lowOK && highOK
	}))
}

// hasMember tells whether a record has a member that is not null.
func (c *compiler) hasMember(l, r operand) operand {
	if !c.expect(l, kindString, "`in` over a record") {
		return null()
	}
	name, record, typ := as[string](l), boxed(r), r.typ
	return computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		member, ok := name(f)
		v, alsoOK := record(f)
		if !ok || !alsoOK {
			return false, false
		}
		i := typ.fieldIndex(member)
		return i >= 0 && v.([]any)[i] != nil, true
	}))
}

func (c *compiler) inJSON(n *ast.BinaryNode, l, r operand) operand {
	at, x, container := c.place(n), boxed(l), boxed(r)
	return computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, ok := x(f)
		w, alsoOK := container(f)
		if !ok || !alsoOK {
			return false, false
		}
		switch in := w.(type) {
		case []any:
			return contains(f, at, in, v)
		case map[string]any:
			name, _ := v.(string)
			return in[name] != nil, true
		}
		return false, false
	}))
}

func (c *compiler) inList(n *ast.BinaryNode, l, r operand) operand {
	elem := *r.typ.elem
	if elem.has(kindDecimal) {
		return c.problem(n, Mistyped, "write any(list, # == x)", "`in` does not take a list of %s", elem)
	}
	if _, ok := unify(l.typ, elem); !ok && !(l.typ.kind == kindJSON && jsonScalar(elem)) {
		return c.problem(n, Mistyped, c.conversionHelp(l, elem.kind), "`in` looks for %s in a list of %s", article(l.typ.String()), elem)
	}
	if literals, ok := r.constant.([]any); ok && l.typ.equal(elem) {
		if o, fast := inLiterals(l, literals); fast {
			return o
		}
	}
	at, x, list := c.place(n), boxed(l), boxed(r)
	if r.column != nil && l.typ.kind == elem.kind {
		switch elem.kind {
		case kindString:
			return inColumn(at, as[string](l), r.column.slot, (*array.String).Value)
		case kindInt:
			return inColumn(at, as[int64](l), r.column.slot, (*array.Int64).Value)
		}
	}
	return computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, ok := x(f)
		in, alsoOK := list(f)
		if !ok || !alsoOK {
			return false, false
		}
		return contains(f, at, in.([]any), v)
	}))
}

// contains is null if the value is not found and the list has a null, which
// might be it.
func contains(f *frame, at place, list []any, v any) (found, known bool) {
	if !f.step(at, len(list)) {
		return false, false
	}
	known = true
	for _, element := range list {
		switch {
		case element == nil:
			known = false
		case equalValues(element, v):
			return true, true
		}
	}
	return false, known
}

// inColumn is contains over a column of lists, whose elements it reads in
// place.
func inColumn[A arrow.Array, T comparable](at place, x fn[T], slot int, value func(A, int) T) operand {
	return computed(kindBool, fn[bool](func(f *frame) (found, known bool) {
		v, ok := x(f)
		bound := &f.columns[slot]
		if !ok || !bound.valid(f.row) {
			return false, false
		}
		lists := bound.values.(*array.List)
		elements := lists.ListValues().(A)
		from, to := lists.ValueOffsets(f.row)
		if !f.step(at, int(to-from)) {
			return false, false
		}
		known = true
		for i := int(from); i < int(to); i++ {
			switch {
			case elements.IsNull(i):
				known = false
			case value(elements, i) == v:
				return true, true
			}
		}
		return false, known
	}))
}

// inLiterals looks up in a set made once.
func inLiterals(l operand, list []any) (operand, bool) {
	switch l.typ.kind {
	case kindString:
		return inSet[string](l, list), true
	case kindInt:
		return inSet[int64](l, list), true
	}
	return operand{}, false
}

func inSet[T comparable](l operand, list []any) operand {
	values, known := make([]T, 0, len(list)), true
	for _, element := range list {
		if v, ok := element.(T); ok {
			values = append(values, v)
		} else {
			known = false
		}
	}
	has := lookup(values)
	eval := as[T](l)
	return nullableIf(l.nullable || !known, computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, ok := eval(f)
		if !ok {
			return false, false
		}
		found := has(v)
		return found, found || known
	})))
}

// lookup compares with few values one by one, which is faster than hashing.
func lookup[T comparable](values []T) func(T) bool {
	const few = 8
	if len(values) <= few {
		return func(v T) bool { return slices.Contains(values, v) }
	}
	set := make(map[T]bool, len(values))
	for _, v := range values {
		set[v] = true
	}
	return func(v T) bool { return set[v] }
}
