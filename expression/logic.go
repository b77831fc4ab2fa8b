package expression

import (
	"github.com/expr-lang/expr/ast"
)

func not(o operand) operand {
	eval := as[bool](o)
	return nullableIf(o.nullable, computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, ok := eval(f)
		return !v, ok
	})))
}

func nullableIf(nullable bool, o operand) operand {
	o.nullable = nullable
	return o
}

// logic is three-valued: false and null is false, true or null is true.
func (c *compiler) logic(n *ast.BinaryNode, l, r operand) operand {
	what := "`" + n.Operator + "`"
	left, right := c.expect(l, kindBool, what), c.expect(r, kindBool, what)
	if !left || !right {
		return null()
	}
	decisive := n.Operator == "or" || n.Operator == "||"
	a, b := as[bool](l), as[bool](r)
	return nullableIf(l.nullable || r.nullable, computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, known := a(f)
		if known && v == decisive {
			return decisive, true
		}
		w, alsoKnown := b(f)
		if alsoKnown && w == decisive {
			return decisive, true
		}
		return !decisive, known && alsoKnown
	})))
}

// conditional chooses the second branch where the condition is false or null.
func (c *compiler) conditional(n *ast.ConditionalNode) operand {
	cond, l, r := c.compile(n.Cond), c.compile(n.Exp1), c.compile(n.Exp2)
	if !c.expect(cond, kindBool, "the condition of `?:`") {
		return null()
	}
	typ, ok := unify(l.typ, r.typ)
	if !ok {
		return c.problem(n, Mistyped, c.mismatchHelp("?:", l, r), "the branches of `?:` must have one type, found %s and %s", l.typ, r.typ)
	}
	l, r = c.coerce(l, typ), c.coerce(r, typ)
	o := operand{typ: typ, nullable: l.nullable || r.nullable}
	o.eval = chooseBy(typ.kind, as[bool](cond), l, r)
	return o
}

func chooseBy(k kind, cond fn[bool], l, r operand) any {
	switch k {
	case kindNull:
		return nil
	case kindBool:
		return choose[bool](cond, l, r)
	case kindInt, kindTimestamp, kindDate, kindDuration:
		return choose[int64](cond, l, r)
	case kindFloat:
		return choose[float64](cond, l, r)
	case kindString, kindBytes, kindDecimal:
		return choose[string](cond, l, r)
	}
	return choose[any](cond, l, r)
}

func choose[T any](cond fn[bool], l, r operand) fn[T] {
	a, b := as[T](l), as[T](r)
	return func(f *frame) (T, bool) {
		if v, ok := cond(f); ok && v {
			return a(f)
		}
		return b(f)
	}
}

// coalesce takes the right value where the left is null.
func (c *compiler) coalesce(n *ast.BinaryNode, l, r operand) operand {
	typ, ok := unify(l.typ, r.typ)
	if !ok {
		return c.problem(n, Mistyped, c.mismatchHelp(n.Operator, l, r), "both sides of `??` must have one type, found %s and %s", l.typ, r.typ)
	}
	l, r = c.coerce(l, typ), c.coerce(r, typ)
	o := operand{typ: typ, nullable: l.nullable && r.nullable}
	switch typ.kind {
	case kindNull:
	case kindBool:
		o.eval = firstOf[bool](l, r)
	case kindInt, kindTimestamp, kindDate, kindDuration:
		o.eval = firstOf[int64](l, r)
	case kindFloat:
		o.eval = firstOf[float64](l, r)
	case kindString, kindBytes, kindDecimal:
		o.eval = firstOf[string](l, r)
	default:
		o.eval = firstOf[any](l, r)
	}
	return o
}

func firstOf[T any](l, r operand) fn[T] {
	a, b := as[T](l), as[T](r)
	return func(f *frame) (T, bool) {
		if v, ok := a(f); ok {
			return v, true
		}
		return b(f)
	}
}

// coerce gives an operand the type that unify found for it. An int becomes a
// float only if the float is exactly the int.
func (c *compiler) coerce(o operand, to dataType) operand {
	switch {
	case o.typ.equal(to):
		return o
	case o.typ.kind == kindNull:
		typed := fromBoxed(to, nullOf[any])
		typed.node = o.node
		return typed
	case to.kind == kindFloat:
		if fixed := widenLiteral(o, operand{typ: to}); fixed.typ.kind == kindFloat {
			return fixed
		}
		at, eval := c.place(o.node), as[int64](o)
		widened := nullableIf(o.nullable, computed(kindFloat, fn[float64](func(f *frame) (float64, bool) {
			v, ok := eval(f)
			if !ok {
				return 0, false
			}
			return exactFloat(f, at, v)
		})))
		widened.node = o.node
		return widened
	}
	at, eval, elem := c.place(o.node), boxed(o), *to.elem
	widened := fromBoxed(to, func(f *frame) (any, bool) {
		v, ok := eval(f)
		if !ok {
			return nil, false
		}
		return widen(f, at, v, elem), true
	})
	widened.node = o.node
	return widened
}

// widen makes the elements of a list what elem says.
func widen(f *frame, at place, v any, elem dataType) any {
	list := v.([]any)
	if !f.allocate(at, len(list)*elementBytes) {
		return list
	}
	out := make([]any, len(list))
	for i, e := range list {
		switch x := e.(type) {
		case int64:
			if elem.kind == kindFloat {
				e, _ = exactFloat(f, at, x)
			}
		case []any:
			if elem.kind == kindList {
				e = widen(f, at, x, *elem.elem)
			}
		}
		out[i] = e
	}
	return out
}

func exactFloat(f *frame, at place, v int64) (float64, bool) {
	if compareIntFloat(v, float64(v)) != 0 {
		f.fail(at, "int %d has no exact float", v)
		return 0, false
	}
	return float64(v), true
}
