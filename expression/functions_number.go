package expression

import (
	"math"
	"slices"
)

var (
	oneFloat = []param{floatArg}
	twoInts  = []param{intArg, intArg}
)

var numberFunctions = []function{
	{Function{"abs", "abs(number)", "Without the sign.", `abs(-5)`, `5`}, oneAnything, compileAbs},
	{Function{"ceil", "ceil(number)", "The next whole number above, as a float.", `ceil(1.2)`, `2`}, oneFloat, of1(kindFloat, pure(math.Ceil))},
	{Function{"floor", "floor(number)", "The next whole number below, as a float.", `floor(1.8)`, `1`}, oneFloat, of1(kindFloat, pure(math.Floor))},
	{Function{"round", "round(number)", "The nearest whole number, halves away from zero, as a float.", `round(2.5)`, `3`}, oneFloat, of1(kindFloat, pure(math.Round))},
	{Function{"min", "min(a, b, ...) or min(list)", "The smallest value. Null elements of a list are left out.", `min(3, 1.5)`, `1.5`}, []param{restArg}, compileExtreme(-1)},
	{Function{"max", "max(a, b, ...) or max(list)", "The largest value. Null elements of a list are left out.", `max([3, 7, 5])`, `7`}, []param{restArg}, compileExtreme(1)},
	{Function{"mean", "mean(list)", "The average; null elements are left out; null if there is no other.", `mean([1, 2, 6])`, `3`}, oneAnything, compileMean(mean)},
	{Function{"median", "median(list)", "The middle value; null elements are left out; null if there is no other.", `median([1, 9, 2])`, `2`}, oneAnything, compileMean(median)},
	{Function{"bitand", "bitand(a, b)", "Bits set in both.", `bitand(12, 10)`, `8`}, twoInts, of2(kindInt, pure2(func(a, b int64) int64 { return a & b }))},
	{Function{"bitor", "bitor(a, b)", "Bits set in either.", `bitor(12, 10)`, `14`}, twoInts, of2(kindInt, pure2(func(a, b int64) int64 { return a | b }))},
	{Function{"bitxor", "bitxor(a, b)", "Bits set in one only.", `bitxor(12, 10)`, `6`}, twoInts, of2(kindInt, pure2(func(a, b int64) int64 { return a ^ b }))},
	{Function{"bitnand", "bitnand(a, b)", "Bits of the first that are not set in the second.", `bitnand(12, 10)`, `4`}, twoInts, of2(kindInt, pure2(func(a, b int64) int64 { return a &^ b }))},
	{Function{"bitnot", "bitnot(a)", "Every bit turned over.", `bitnot(0)`, `-1`}, []param{intArg}, of1(kindInt, pure(func(a int64) int64 { return ^a }))},
	{Function{"bitshl", "bitshl(a, by)", "Bits moved to the left.", `bitshl(1, 4)`, `16`}, twoInts, of2(kindInt, shift(func(a int64, by uint64) int64 { return a << by }))},
	{Function{"bitshr", "bitshr(a, by)", "Bits moved to the right, keeping the sign.", `bitshr(-16, 2)`, `-4`}, twoInts, of2(kindInt, shift(func(a int64, by uint64) int64 { return a >> by }))},
	{Function{"bitushr", "bitushr(a, by)", "Bits moved to the right, filling with zeros.", `bitushr(16, 2)`, `4`}, twoInts, of2(kindInt, shift(func(a int64, by uint64) int64 { return int64(uint64(a) >> by) }))},
}

func shift(move func(int64, uint64) int64) func(*frame, place, int64, int64) (int64, bool) {
	return func(f *frame, at place, a, by int64) (int64, bool) {
		if by < 0 {
			f.fail(at, "cannot shift by %d bits", by)
			return 0, false
		}
		return move(a, uint64(by)), true
	}
}

func compileAbs(c *compiler, k call) operand {
	switch k.args[0].typ.kind {
	case kindNull:
		return null()
	case kindInt:
		return of1(kindInt, absInt)(c, k)
	case kindDuration:
		return of1(kindDuration, absInt)(c, k)
	case kindFloat:
		return of1(kindFloat, pure(math.Abs))(c, k)
	}
	return c.problem(k.nodes[0], Mistyped, c.conversionHelp(k.args[0], kindFloat), "`abs` takes a number, found %s", k.args[0].typ)
}

func absInt(f *frame, at place, v int64) (int64, bool) {
	if v == math.MinInt64 {
		f.fail(at, "integer overflow: abs(%d)", v)
		return 0, false
	}
	return max(v, -v), true
}

// compileExtreme compiles min (sign -1) and max (sign 1).
func compileExtreme(sign int) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		if len(k.args) == 1 {
			return c.extremeOfList(k, sign)
		}
		var typ dataType
		for i, o := range k.args {
			unified, ok := unify(typ, o.typ)
			if !ok || !hasOrder(unified) {
				return c.problem(k.nodes[i], Mistyped, c.conversionHelp(o, typ.kind), "`%s` does not take %s here", k.name, o.typ)
			}
			typ = unified
		}
		evals := make([]fn[any], len(k.args))
		for i, o := range k.args {
			evals[i] = boxed(c.coerce(o, typ))
		}
		return fromBoxed(typ, func(f *frame) (any, bool) {
			var best any
			for _, eval := range evals {
				v, ok := eval(f)
				if !ok {
					return nil, false
				}
				best = extreme(best, v, sign)
			}
			return best, best != nil
		})
	}
}

// sortable reports whether values of the type have an order, among json too.
func sortable(t dataType) bool {
	return hasOrder(t) || t.kind == kindBool || t.kind == kindJSON
}

// hasOrder reports whether values of the type have a largest one.
func hasOrder(t dataType) bool {
	return t.kind != kindBool && t.kind < kindList && t.kind != kindDecimal
}

func (c *compiler) extremeOfList(k call, sign int) operand {
	list, elem, ok := c.elements(k.args[0], k.name)
	if !ok {
		return null()
	}
	if elem.kind != kindJSON && !hasOrder(elem) {
		return c.problem(k.nodes[0], Mistyped, "", "`%s` does not take a list of %s", k.name, elem)
	}
	return fromBoxed(elem, func(f *frame) (any, bool) {
		v, ok := list(f)
		if !ok {
			return nil, false
		}
		var best any
		for _, element := range v.([]any) {
			best = extreme(best, element, sign)
		}
		return best, best != nil
	})
}

func extreme(best, v any, sign int) any {
	if best == nil {
		return v
	}
	if order, ok := compareValues(v, best); ok && order*sign > 0 {
		return v
	}
	return best
}

func compileMean(average func([]float64) float64) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		list, elem, ok := c.elements(k.args[0], k.name)
		if !ok {
			return null()
		}
		if elem.kind != kindNull && elem.kind != kindJSON && !isMachineNumber(elem.kind) {
			return c.problem(k.nodes[0], Mistyped, "", "`%s` takes a list of numbers, found %s", k.name, k.args[0].typ)
		}
		return computed(kindFloat, fn[float64](func(f *frame) (float64, bool) {
			v, ok := list(f)
			if !ok {
				return 0, false
			}
			numbers := floatsOf(v.([]any))
			if len(numbers) == 0 || !f.allocate(k.at, 8*len(numbers)) {
				return 0, false
			}
			result := average(numbers)
			if math.IsInf(result, 0) {
				f.fail(k.at, "float overflow in %s", k.name)
				return 0, false
			}
			return result, true
		}))
	}
}

func floatsOf(list []any) []float64 {
	numbers := make([]float64, 0, len(list))
	for _, element := range list {
		switch v := element.(type) {
		case int64:
			numbers = append(numbers, float64(v))
		case float64:
			numbers = append(numbers, v)
		}
	}
	return numbers
}

func mean(numbers []float64) float64 {
	var sum float64
	for _, n := range numbers {
		sum += n
	}
	return sum / float64(len(numbers))
}

func median(numbers []float64) float64 {
	slices.Sort(numbers)
	middle := len(numbers) / 2
	if len(numbers)%2 == 1 {
		return numbers[middle]
	}
	return (numbers[middle-1] + numbers[middle]) / 2
}
