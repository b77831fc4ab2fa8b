package expression

import "math"

var (
	bodyArg      = param{body: true}
	maybeBodyArg = param{body: true, optional: true}
	predicated   = []param{anyArg, bodyArg}
)

var predicateFunctions = []function{
	{Function{"all", "all(list, predicate)", "Whether the predicate is true for every element; # is the element, .name its member, #index its place from 0.", `all([1, 2], # > 0)`, `true`}, predicated, compileQuantifier},
	{Function{"any", "any(list, predicate)", "Whether the predicate is true for an element.", `any(["a", "b"], # == "b")`, `true`}, predicated, compileQuantifier},
	{Function{"none", "none(list, predicate)", "Whether the predicate is true for no element.", `none([1, 2], # > 5)`, `true`}, predicated, compileQuantifier},
	{Function{"one", "one(list, predicate)", "Whether the predicate is true for exactly one element.", `one([1, 2], # == 2)`, `true`}, predicated, compileQuantifier},
	{Function{"filter", "filter(list, predicate)", "The elements for which the predicate is true.", `filter([1, 2, 3], # > 1)`, `[2,3]`}, predicated, compileFilter},
	{Function{"map", "map(list, value)", "The value for each element.", `map([1, 2], # * 10)`, `[10,20]`}, predicated, compileMap},
	{Function{"find", "find(list, predicate)", "The first element for which the predicate is true, or null.", `find([1, 2, 3], # > 1)`, `2`}, predicated, compileFind(false)},
	{Function{"findLast", "findLast(list, predicate)", "The last element for which the predicate is true, or null.", `findLast([1, 2, 3], # > 1)`, `3`}, predicated, compileFind(true)},
	{Function{"findIndex", "findIndex(list, predicate)", "The place of the first such element from 0, or null.", `findIndex([5, 6], # == 6)`, `1`}, predicated, compileFindIndex(false)},
	{Function{"findLastIndex", "findLastIndex(list, predicate)", "The place of the last such element from 0, or null.", `findLastIndex([6, 6], # == 6)`, `1`}, predicated, compileFindIndex(true)},
	{Function{"count", "count(list, predicate?)", "How many elements the predicate is true for, or how many are true.", `count([1, 2, 3], # > 1)`, `2`}, []param{anyArg, maybeBodyArg}, compileCount},
	{Function{"sum", "sum(list, value?)", "The sum of the elements, or of the value for each; nulls are left out.", `sum([1, 2, 3], # * 2)`, `12`}, []param{anyArg, maybeBodyArg}, compileSum},
	{Function{"sortBy", "sortBy(list, value, order?)", "Ordered by the value for each element; nulls last; \"desc\" turns it over.", `sortBy(["ccc", "a"], len(#))`, `["a","ccc"]`}, []param{anyArg, bodyArg, maybeTextArg}, compileSortBy},
	{Function{"groupBy", "groupBy(list, key)", "The elements by the text of their key, as json; elements with a null key are left out.", `groupBy([1, 2, 3], # > 1 ? "big" : "small")`, `{"big":[2,3],"small":[1]}`}, predicated, compileGroupBy},
	{Function{"reduce", "reduce(list, value, start)", "#acc is the start, then the value for the element before.", `reduce([1, 2, 3], #acc + #, 0)`, `6`}, []param{anyArg, bodyArg, anyArg}, compileReduce},
}

// over compiles the list and the body of a predicate function.
func (c *compiler) over(k call) (each loop, elem dataType, body operand, ok bool) {
	list, elem, ok := c.elements(k.args[0], k.name)
	if !ok {
		c.survey(k.nodes[1:])
		return nil, elem, null(), false
	}
	body = null()
	if len(k.nodes) > 1 {
		body = c.body(k.nodes[1], scopeType{element: elem})
	}
	return c.loop(k.node, list), elem, body, true
}

// test compiles a list and a predicate over it.
func (c *compiler) test(k call) (each loop, elem dataType, test fn[bool], ok bool) {
	each, elem, body, ok := c.over(k)
	if !ok || !c.expect(body, kindBool, "the predicate of `"+k.name+"`") {
		return nil, elem, nil, false
	}
	return each, elem, as[bool](body), true
}

func compileQuantifier(c *compiler, k call) operand {
	each, _, test, ok := c.test(k)
	if !ok {
		return null()
	}
	return c.quantifier(k.name, each, test)
}

func compileFilter(c *compiler, k call) operand {
	each, elem, test, ok := c.test(k)
	if !ok {
		return null()
	}
	return fromBoxed(listType(elem), c.sift(k.node, each, test))
}

func compileMap(c *compiler, k call) operand {
	each, _, body, ok := c.over(k)
	if !ok {
		return null()
	}
	return fromBoxed(listOf(body.typ), c.transform(k.node, each, boxed(body)))
}

func compileFind(last bool) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		each, elem, test, ok := c.test(k)
		if !ok {
			return null()
		}
		find := c.finder(last, each, test)
		return fromBoxed(elem, func(f *frame) (any, bool) {
			_, v := find(f)
			return v, v != nil
		})
	}
}

func compileFindIndex(last bool) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		each, _, test, ok := c.test(k)
		if !ok {
			return null()
		}
		find := c.finder(last, each, test)
		return computed(kindInt, fn[int64](func(f *frame) (int64, bool) {
			at, _ := find(f)
			return int64(at), at >= 0
		}))
	}
}

func compileCount(c *compiler, k call) operand {
	each, elem, body, ok := c.over(k)
	if !ok {
		return null()
	}
	if len(k.nodes) == 1 {
		body = c.itself(elem)
	}
	if body.typ.kind != kindBool && body.typ.kind != kindNull {
		return c.problem(k.nodes[len(k.nodes)-1], Mistyped, "write `count(list, # > 0)` with a condition, or `len(list)`",
			"`count` counts what is true, found %s", body.typ)
	}
	test := as[bool](body)
	return computed(kindInt, fn[int64](func(f *frame) (int64, bool) {
		var n int64
		ok := each(f, func(int, any) bool {
			if v, known := test(f); known && v {
				n++
			}
			return true
		})
		return n, ok
	}))
}

// itself is the element itself as the body of a predicate.
func (c *compiler) itself(elem dataType) operand {
	depth := len(c.scopes)
	c.deepest = max(c.deepest, depth+1)
	return fromBoxed(elem, func(f *frame) (any, bool) {
		v := f.scopes[depth].element
		return v, v != nil
	})
}

func compileSum(c *compiler, k call) operand {
	each, elem, body, ok := c.over(k)
	if !ok {
		return null()
	}
	if len(k.nodes) == 1 {
		body = c.itself(elem)
	}
	switch body.typ.kind {
	case kindNull:
		return null()
	case kindInt, kindDuration:
		return computed(body.typ.kind, sumInts(k.at, each, as[int64](body)))
	case kindFloat:
		return computed(kindFloat, sumFloats(k.at, each, as[float64](body)))
	}
	return c.problem(k.nodes[len(k.nodes)-1], Mistyped, "write `sum(list, float(#))` to convert", "`sum` takes numbers, found %s", body.typ)
}

func sumInts(at place, each loop, value fn[int64]) fn[int64] {
	return func(f *frame) (int64, bool) {
		var total int64
		ok := each(f, func(int, any) bool {
			v, known := value(f)
			if !known {
				return true
			}
			sum, fits := addInts(total, v)
			if !fits {
				f.fail(at, "integer overflow in sum")
			}
			total = sum
			return fits
		})
		return total, ok
	}
}

func sumFloats(at place, each loop, value fn[float64]) fn[float64] {
	return func(f *frame) (float64, bool) {
		var total float64
		ok := each(f, func(int, any) bool {
			v, _ := value(f)
			total += v
			return true
		})
		if ok && math.IsInf(total, 0) {
			f.fail(at, "float overflow in sum")
			return 0, false
		}
		return total, ok
	}
}

func compileSortBy(c *compiler, k call) operand {
	each, elem, body, ok := c.over(k)
	if !ok {
		return null()
	}
	if len(k.nodes) > 2 {
		k.args = append(k.args, body, c.compile(k.nodes[2]))
	}
	if !sortable(body.typ) {
		return c.problem(k.nodes[1], Mistyped, c.conversionHelp(body, kindFloat), "`sortBy` cannot order by %s", body.typ)
	}
	descending, ok := c.order(k, 2)
	if !ok {
		return null()
	}
	return fromBoxed(listType(elem), c.sortBy(k.node, each, boxed(body), descending))
}

func compileGroupBy(c *compiler, k call) operand {
	each, elem, body, ok := c.over(k)
	if !ok || !c.expect(body, kindString, "the key of `groupBy`") {
		return null()
	}
	key := as[string](body)
	return fromBoxed(dataType{kind: kindJSON}, func(f *frame) (any, bool) {
		groups := map[string]any{}
		ok := each(f, func(_ int, element any) bool {
			name, known := key(f)
			if !known {
				return true
			}
			group, _ := groups[name].([]any)
			groups[name] = append(group, asJSON(elem, element))
			return f.allocate(k.at, len(name)+4*elementBytes)
		})
		return groups, ok && f.err == nil
	})
}

// asJSON turns a typed value into what decodeJSON would give for its text.
func asJSON(t dataType, v any) any {
	switch t.kind {
	case kindNull, kindBool, kindInt, kindFloat, kindString, kindJSON:
		return v
	}
	return decodeJSON(string(appendJSON(nil, t, v)))
}

func compileReduce(c *compiler, k call) operand {
	list, elem, ok := c.elements(k.args[0], k.name)
	if !ok {
		c.survey(k.nodes[1:])
		return null()
	}
	start := c.compile(k.nodes[2])
	carry := start.typ
	if isNil(k.nodes[2]) {
		return c.problem(k.nodes[2], Mistyped, "start with 0 or \"\"", "`reduce` cannot start with nil")
	}
	body := c.body(k.nodes[1], scopeType{element: elem, carry: &carry})
	if carry.kind == kindNull { // not known yet
		return null()
	}
	if typ, ok := unify(carry, body.typ); !ok || !typ.equal(carry) {
		return c.problem(k.nodes[1], Mistyped, "", "`reduce` starts with %s, and goes on with %s", carry, body.typ)
	}
	each, depth := c.loop(k.node, list), len(c.scopes)
	initial, next := boxed(start), boxed(c.coerce(body, carry))
	return fromBoxed(carry, func(f *frame) (any, bool) {
		value, _ := initial(f)
		ok := each(f, func(int, any) bool {
			f.scopes[depth].carry = value
			value, _ = next(f)
			return true
		})
		return value, ok && value != nil
	})
}
