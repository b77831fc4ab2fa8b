package expression

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/expr-lang/expr/ast"
)

// intOperators compute exactly; false means overflow.
var intOperators = map[string]func(a, b int64) (int64, bool){
	"+": addInts,
	"-": subtractInts,
	"*": multiplyInts,
}

func addInts(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

func subtractInts(a, b int64) (int64, bool) {
	difference := a - b
	return difference, (difference < a) == (b > 0)
}

func multiplyInts(a, b int64) (int64, bool) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	if (a < 0) != (b < 0) {
		return -int64(low), high == 0 && low <= 1<<63
	}
	return int64(low), high == 0 && low < 1<<63
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

var floatOperators = map[string]func(a, b float64) float64{
	"+":  func(a, b float64) float64 { return a + b },
	"-":  func(a, b float64) float64 { return a - b },
	"*":  func(a, b float64) float64 { return a * b },
	"**": math.Pow,
	"^":  math.Pow,
}

// arithmetic compiles + - * / % ** ^.
func (c *compiler) arithmetic(n *ast.BinaryNode, l, r operand) operand {
	o, ok := c.arithmeticBy(n, l, r)
	if !ok {
		return c.mismatch(n, l, r)
	}
	return nullableIf(l.nullable || r.nullable, o)
}

func (c *compiler) arithmeticBy(n *ast.BinaryNode, l, r operand) (operand, bool) {
	a, b := l.typ.kind, r.typ.kind
	switch {
	case a == kindNull || b == kindNull:
		return null(), c.addable(n, l) && c.addable(n, r)
	case a == kindString && b == kindString:
		return c.concatenate(n, l, r), n.Operator == "+"
	case isInstant(l.typ) || isInstant(r.typ) || a == kindDuration || b == kindDuration:
		return c.timeArithmetic(n, l, r)
	case !isMachineNumber(a) || !isMachineNumber(b):
		return operand{}, false
	case n.Operator == "%":
		return c.modulus(n, l, r), a == kindInt && b == kindInt
	case n.Operator == "/":
		return c.divide(n, l, r), true
	case a == kindInt && b == kindInt && intOperators[n.Operator] != nil:
		return c.ints(kindInt, n, l, r), true
	}
	return c.floats(n, l, r), true
}

// addable reports whether an operator of arithmetic takes a type at all, for
// when the other side is always null.
func (c *compiler) addable(n *ast.BinaryNode, o operand) bool {
	k := o.typ.kind
	return k == kindNull || isMachineNumber(k) || k == kindString && n.Operator == "+" || k == kindDuration || isInstant(o.typ)
}

func isMachineNumber(k kind) bool { return k == kindInt || k == kindFloat }

func (c *compiler) ints(k kind, n *ast.BinaryNode, l, r operand) operand {
	at, op := c.place(n), n.Operator
	a, b, compute := as[int64](l), as[int64](r), intOperators[op]
	return computed(k, fn[int64](func(f *frame) (int64, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return 0, false
		}
		result, fits := compute(v, w)
		if !fits {
			f.fail(at, "integer overflow: %d %s %d", v, op, w)
			return 0, false
		}
		return result, true
	}))
}

func (c *compiler) floats(n *ast.BinaryNode, l, r operand) operand {
	at, op := c.place(n), n.Operator
	a, b, compute := rounded(l), rounded(r), floatOperators[op]
	return computed(kindFloat, fn[float64](func(f *frame) (float64, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return 0, false
		}
		return finite(f, at, compute(v, w), v, op, w)
	}))
}

func finite(f *frame, at place, result, v float64, op string, w float64) (float64, bool) {
	switch {
	case math.IsNaN(result), v == 0 && math.IsInf(result, 0):
		f.fail(at, "there is no number for %s %s %s", parenthesized(v), op, parenthesized(w))
		return 0, false
	case math.IsInf(result, 0):
		f.fail(at, "float overflow: %v %s %v", v, op, w)
		return 0, false
	}
	return result, true
}

// parenthesized writes a number so that its sign is its own.
func parenthesized(v float64) string {
	if v < 0 {
		return fmt.Sprintf("(%v)", v)
	}
	return fmt.Sprint(v)
}

// rounded gives an int or float as the nearest float, as arithmetic does.
func rounded(o operand) fn[float64] {
	if o.typ.kind != kindInt {
		return as[float64](o)
	}
	eval := as[int64](o)
	return func(f *frame) (float64, bool) {
		v, ok := eval(f)
		return float64(v), ok
	}
}

func (c *compiler) divide(n *ast.BinaryNode, l, r operand) operand {
	at := c.place(n)
	a, b := rounded(l), rounded(r)
	return computed(kindFloat, fn[float64](func(f *frame) (float64, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return 0, false
		}
		if w == 0 {
			f.fail(at, "division by zero")
			return 0, false
		}
		return finite(f, at, v/w, v, "/", w)
	}))
}

func (c *compiler) modulus(n *ast.BinaryNode, l, r operand) operand {
	if l.typ.kind != kindInt || r.typ.kind != kindInt {
		return null()
	}
	at := c.place(n)
	a, b := as[int64](l), as[int64](r)
	return computed(kindInt, fn[int64](func(f *frame) (int64, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK {
			return 0, false
		}
		if w == 0 {
			f.fail(at, "modulus by zero")
			return 0, false
		}
		return v % w, true
	}))
}

func (c *compiler) negate(n *ast.UnaryNode, o operand) operand {
	at := c.place(n)
	switch o.typ.kind {
	case kindNull:
		return null()
	case kindFloat:
		eval := as[float64](o)
		return nullableIf(o.nullable, computed(kindFloat, fn[float64](func(f *frame) (float64, bool) {
			v, ok := eval(f)
			return -v, ok
		})))
	case kindInt, kindDuration:
		eval := as[int64](o)
		return nullableIf(o.nullable, computed(o.typ.kind, fn[int64](func(f *frame) (int64, bool) {
			v, ok := eval(f)
			if ok && v == math.MinInt64 {
				f.fail(at, "integer overflow: -(%d)", v)
				return 0, false
			}
			return -v, ok
		})))
	}
	return c.problem(n.Node, Mistyped, c.conversionHelp(o, kindFloat), "`-` takes a number, found %s", o.typ)
}

// timeArithmetic adds and subtracts durations, and subtracts times.
func (c *compiler) timeArithmetic(n *ast.BinaryNode, l, r operand) (operand, bool) {
	if l.typ.kind == kindDate {
		l = c.midnight(l)
	}
	if r.typ.kind == kindDate {
		r = c.midnight(r)
	}
	a, b := l.typ.kind, r.typ.kind
	var result kind
	switch {
	case n.Operator == "-" && a == kindTimestamp && b == kindTimestamp:
		result = kindDuration
	case n.Operator == "+" && (a == kindTimestamp && b == kindDuration || a == kindDuration && b == kindTimestamp),
		n.Operator == "-" && a == kindTimestamp && b == kindDuration:
		result = kindTimestamp
	case (n.Operator == "+" || n.Operator == "-") && a == kindDuration && b == kindDuration,
		n.Operator == "*" && (a == kindDuration && b == kindInt || a == kindInt && b == kindDuration):
		result = kindDuration
	default:
		return operand{}, false
	}
	return c.ints(result, n, l, r), true
}

// concatenate joins two texts.
func (c *compiler) concatenate(n *ast.BinaryNode, l, r operand) operand {
	at := c.place(n)
	a, b := as[string](l), as[string](r)
	return computed(kindString, fn[string](func(f *frame) (string, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK || !f.allocate(at, len(v)+len(w)) {
			return "", false
		}
		return v + w, true
	}))
}
