package expression

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

// comparison compiles == != < <= > >=.
func (c *compiler) comparison(n *ast.BinaryNode, l, r operand) operand {
	equality := n.Operator == "==" || n.Operator == "!="
	if equality && (isNil(n.Left) || isNil(n.Right)) {
		return c.nilTest(n, l, r)
	}
	c.noteText(n, r)
	l, r, ok := c.instants(l, r)
	if !ok {
		return null()
	}
	l, r = widenLiteral(l, r), widenLiteral(r, l)
	eval := c.compareBy(n, l, r, equality)
	if eval == nil {
		return c.mismatch(n, l, r)
	}
	return nullableIf(l.nullable || r.nullable, computed(kindBool, eval))
}

// nilTest compares with the word nil, which is never null.
func (c *compiler) nilTest(n *ast.BinaryNode, l, r operand) operand {
	o := l
	if isNil(n.Left) {
		o = r
	}
	test, want := isNull(o), n.Operator == "=="
	return nullableIf(false, computed(kindBool, fn[bool](func(f *frame) (bool, bool) { return test(f) == want, true })))
}

// noteText warns of "job-id" == "x", which compares two texts.
func (c *compiler) noteText(n *ast.BinaryNode, r operand) {
	text, ok := n.Left.(*ast.StringNode)
	if !ok || !c.hasColumn(text.Value) || r.typ.kind != kindString && r.typ.kind != kindNull {
		return
	}
	at := c.source.span(text)
	written := text.Value
	if !plainName(written) {
		written = fmt.Sprintf("$env[%q]", written)
	}
	c.report(Problem{Start: at.start, End: at.end, Kind: Suspicious, Warning: true, Suggestion: written,
		Message: fmt.Sprintf("%s is text, not the column `%s`", c.source.slice(at), text.Value),
		Label:   fmt.Sprintf("the column is written `%s`", written)})
}

// compareBy chooses the closure for the two types; nil if they do not compare.
func (c *compiler) compareBy(n *ast.BinaryNode, l, r operand, equality bool) fn[bool] {
	op, at := n.Operator, c.place(n)
	a, b := l.typ.kind, r.typ.kind
	switch {
	case a == kindNull || b == kindNull:
		return nullOf[bool]
	case a == kindDecimal && r.typ.numeric() || b == kindDecimal && l.typ.numeric():
		return compareAny(op, at, boxed(l), boxed(r))
	case a == kindInt && b == kindFloat:
		return compareWith(op, as[int64](l), as[float64](r), compareIntFloat)
	case a == kindFloat && b == kindInt:
		return compareWith(op, as[float64](l), as[int64](r), compareFloatInt)
	case a == kindJSON && jsonScalar(r.typ) || b == kindJSON && jsonScalar(l.typ):
		return compareJSONBy(op, boxed(l), boxed(r), equality)
	case a == kindList && b == kindList:
		if _, ok := unify(l.typ, r.typ); !ok || !equality || l.typ.has(kindDecimal) || r.typ.has(kindDecimal) {
			return nil
		}
		return equalBy(op == "==", boxed(l), boxed(r))
	case a != b:
		return nil
	}
	switch a {
	case kindBool:
		if equality {
			return equalTo(op == "==", as[bool](l), as[bool](r))
		}
	case kindInt, kindTimestamp, kindDate, kindDuration:
		return compareOrdered(op, as[int64](l), as[int64](r))
	case kindFloat:
		return compareOrdered(op, as[float64](l), as[float64](r))
	case kindString, kindBytes:
		return compareOrdered(op, as[string](l), as[string](r))
	case kindRecord:
		if equality && l.typ.equal(r.typ) && !l.typ.has(kindDecimal) {
			return equalBy(op == "==", boxed(l), boxed(r))
		}
	}
	return nil
}

// widenLiteral makes an int literal a float where that is exact and the other
// side is a float, since two floats compare faster.
func widenLiteral(o, other operand) operand {
	v, ok := o.constant.(int64)
	if !ok || o.typ.kind != kindInt || other.typ.kind != kindFloat || compareIntFloat(v, float64(v)) != 0 {
		return o
	}
	widened := literal(kindFloat, float64(v))
	widened.node = o.node
	return widened
}

func jsonScalar(t dataType) bool {
	return t.kind == kindJSON || t.kind == kindBool || t.kind == kindInt || t.kind == kindFloat || t.kind == kindString
}

func equalTo[T comparable](want bool, a, b fn[T]) fn[bool] {
	return func(f *frame) (bool, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		return (v == w) == want, ok && alsoOK
	}
}

func compareOrdered[T cmp.Ordered](op string, a, b fn[T]) fn[bool] {
	switch op {
	case "==":
		return equalTo(true, a, b)
	case "!=":
		return equalTo(false, a, b)
	case ">":
		return compareOrdered("<", b, a)
	case ">=":
		return compareOrdered("<=", b, a)
	case "<":
		return func(f *frame) (bool, bool) {
			v, ok := a(f)
			w, alsoOK := b(f)
			return v < w, ok && alsoOK
		}
	}
	return func(f *frame) (bool, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		return v <= w, ok && alsoOK
	}
}

func compareWith[A, B any](op string, a fn[A], b fn[B], compare func(A, B) int) fn[bool] {
	holds := sign(op)
	return func(f *frame) (bool, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return false, false
		}
		return holds(compare(v, w)), true
	}
}

// sign says for which results of a comparison an operator is true.
func sign(op string) func(int) bool {
	switch op {
	case "==":
		return func(c int) bool { return c == 0 }
	case "!=":
		return func(c int) bool { return c != 0 }
	case "<":
		return func(c int) bool { return c < 0 }
	case "<=":
		return func(c int) bool { return c <= 0 }
	case ">":
		return func(c int) bool { return c > 0 }
	}
	return func(c int) bool { return c >= 0 }
}

// compareAny compares decimals with numbers.
func compareAny(op string, at place, a, b fn[any]) fn[bool] {
	holds := sign(op)
	return func(f *frame) (bool, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return false, false
		}
		c, err := compareDecimals(v, w)
		if err != nil {
			f.fail(at, "%s", err)
			return false, false
		}
		return holds(c), true
	}
}

// compareJSONBy compares what is typed only at run time: different types are
// unequal, and ordering them is null.
func compareJSONBy(op string, a, b fn[any], equality bool) fn[bool] {
	if equality {
		return equalBy(op == "==", a, b)
	}
	holds := sign(op)
	return func(f *frame) (bool, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return false, false
		}
		c, ordered := compareValues(v, w)
		return holds(c), ordered
	}
}

func equalBy(want bool, a, b fn[any]) fn[bool] {
	return func(f *frame) (bool, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return false, false
		}
		return equalValues(v, w) == want, true
	}
}

// instants makes dates, timestamps and literals of RFC 3339 ordered with
// each other: all become timestamps, a date its first instant in UTC, unless
// both are dates.
func (c *compiler) instants(l, r operand) (operand, operand, bool) {
	l, r, ok := c.instantLiteral(l, r)
	if !ok {
		return l, r, false
	}
	switch {
	case l.typ.kind == kindDate && r.typ.kind == kindTimestamp:
		l = c.midnight(l)
	case l.typ.kind == kindTimestamp && r.typ.kind == kindDate:
		r = c.midnight(r)
	}
	return l, r, true
}

func (c *compiler) instantLiteral(l, r operand) (operand, operand, bool) {
	switch {
	case isInstant(l.typ) && r.typ.kind == kindString && r.constant != nil:
		r, ok := c.parseInstant(r)
		return l, r, ok
	case isInstant(r.typ) && l.typ.kind == kindString && l.constant != nil:
		l, ok := c.parseInstant(l)
		return l, r, ok
	}
	return l, r, true
}

func isInstant(t dataType) bool { return t.kind == kindTimestamp || t.kind == kindDate }

// parseInstant reads a literal as a date if it is one, else as a timestamp.
func (c *compiler) parseInstant(o operand) (operand, bool) {
	text := o.constant.(string)
	if t, err := time.Parse(time.DateOnly, text); err == nil {
		parsed := literal(kindDate, floorDiv(t.Unix(), secondsPerDay))
		parsed.node = o.node
		return parsed, true
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil && inNanoseconds(t) {
		parsed := literal(kindTimestamp, t.UnixNano())
		parsed.node = o.node
		return parsed, true
	}
	if _, err := parseTime(text, "", time.UTC); err != nil && strings.HasPrefix(err.Error(), "there is no such") {
		c.problem(o.node, BadValue, "", "%s", err)
		return o, false
	}
	c.problem(o.node, BadValue, `write "2024-05-31" or "2024-05-31T10:00:00Z"`, "expected a date or a time as in RFC 3339, found %q", text)
	return o, false
}
