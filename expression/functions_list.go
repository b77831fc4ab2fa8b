package expression

import (
	"maps"
	"slices"
)

var oneList = []param{anyArg}

var listFunctions = []function{
	{Function{"first", "first(list)", "The first element, null if there is none.", `first([7, 8])`, `7`}, oneList, compileElementAt(0)},
	{Function{"last", "last(list)", "The last element, null if there is none.", `last([7, 8])`, `8`}, oneList, compileElementAt(-1)},
	{Function{"take", "take(list, number)", "The first elements, as many as that.", `take([7, 8, 9], 2)`, `[7,8]`}, []param{anyArg, intArg}, compileTake},
	{Function{"get", "get(x, key)", "An element of a list or a member of json, null if there is none; or a member of a record, which must be one that its type has.", `get([7, 8], 5)`, `null`}, []param{anyArg, anyArg}, compileGet},
	{Function{"reverse", "reverse(list)", "The elements from the last to the first.", `reverse([1, 2])`, `[2,1]`}, oneList, compileRearranged(reversed)},
	{Function{"uniq", "uniq(list)", "Without repeated elements.", `uniq([1, 2, 1])`, `[1,2]`}, oneList, compileUnique},
	{Function{"sort", "sort(list, order?)", "From the smallest to the largest; nulls last; \"desc\" turns it over.", `sort([2, 3, 1], "desc")`, `[3,2,1]`}, []param{anyArg, maybeTextArg}, compileSort},
	{Function{"concat", "concat(list, list, ...)", "All elements in one list.", `concat([1], [2, 3])`, `[1,2,3]`}, []param{restArg}, compileConcat},
	{Function{"flatten", "flatten(list)", "The elements of the lists in a list.", `flatten([[1], [2, 3]])`, `[1,2,3]`}, oneList, compileFlatten},
	{Function{"keys", "keys(x)", "The names of the members of a record, or of json in order of name.", `keys({a: 1, b: 2})`, `["a","b"]`}, oneAnything, compileKeys},
	{Function{"values", "values(x)", "The values of the members, in the order of keys.", `values({a: 1, b: 2})`, `[1,2]`}, oneAnything, compileValues},
}

// listType is the type of a list of elem, where json is a list of json.
func listType(elem dataType) dataType {
	if elem.kind == kindNull {
		return dataType{}
	}
	return listOf(elem)
}

func compileElementAt(i int64) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		list, elem, ok := c.elements(k.args[0], k.name)
		if !ok {
			return null()
		}
		return fromBoxed(elem, func(f *frame) (any, bool) {
			v, ok := list(f)
			if !ok {
				return nil, false
			}
			return elementAt(v.([]any), i)
		})
	}
}

func compileTake(c *compiler, k call) operand {
	list, elem, ok := c.elements(k.args[0], k.name)
	if !ok {
		return null()
	}
	number := as[int64](k.args[1])
	return fromBoxed(listType(elem), func(f *frame) (any, bool) {
		v, ok := list(f)
		n, alsoOK := number(f)
		if !ok || !alsoOK {
			return nil, false
		}
		values := v.([]any)
		return values[:min(max(n, 0), int64(len(values)))], true
	})
}

func compileGet(c *compiler, k call) operand {
	base, key := k.args[0], k.args[1]
	switch base.typ.kind {
	case kindNull:
		return null()
	case kindJSON:
		return c.jsonMember(base, key)
	case kindList:
		if !c.expect(key, kindInt, "the index of a list") {
			return null()
		}
		return c.element(base, key)
	case kindRecord:
		return c.getMember(k, base, key)
	}
	return c.problem(k.nodes[0], Mistyped, "", "`get` takes a list, a record or json, found %s", base.typ)
}

// getMember takes the member of a record, whose type says which there are.
func (c *compiler) getMember(k call, base, key operand) operand {
	name, ok := key.constant.(string)
	if !ok {
		return c.problem(k.nodes[1], Mistyped, "known: "+enumerate(base.typ.fieldNames()), "the name of a member must be written as text")
	}
	i := base.typ.fieldIndex(name)
	if i < 0 {
		return c.unknownMember(k.nodes[0], k.nodes[1], name, base.typ.fieldNames())
	}
	record := boxed(base)
	return fromBoxed(base.typ.fields[i].typ, func(f *frame) (any, bool) {
		v, ok := record(f)
		if !ok {
			return nil, false
		}
		return v.([]any)[i], v.([]any)[i] != nil
	})
}

// compileRearranged compiles a function from a list to one of the same type.
func compileRearranged(compute func(*frame, place, []any) []any) func(*compiler, call) operand {
	return func(c *compiler, k call) operand {
		list, elem, ok := c.elements(k.args[0], k.name)
		if !ok {
			return null()
		}
		return fromBoxed(listType(elem), func(f *frame) (any, bool) {
			v, ok := list(f)
			if !ok || !f.allocate(k.at, len(v.([]any))*elementBytes) {
				return nil, false
			}
			return compute(f, k.at, v.([]any)), true
		})
	}
}

func reversed(_ *frame, _ place, list []any) []any {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

func compileUnique(c *compiler, k call) operand {
	if k.args[0].typ.has(kindDecimal) {
		return c.problem(k.nodes[0], Mistyped, "convert with map(list, float(#))", "`uniq` does not take %s", k.args[0].typ)
	}
	return compileRearranged(unique)(c, k)
}

func unique(f *frame, at place, list []any) []any {
	seen := make([]any, 0, len(list))
	for _, v := range list {
		if !f.step(at, len(seen)) {
			return nil
		}
		if !slices.ContainsFunc(seen, func(w any) bool { return equalValues(v, w) }) {
			seen = append(seen, v)
		}
	}
	return seen
}

func compileSort(c *compiler, k call) operand {
	if elem := k.args[0].typ.elem; elem != nil && !sortable(*elem) {
		return c.problem(k.nodes[0], Mistyped, "order by a part of each: sortBy(list, .member)", "`sort` cannot order %s", k.args[0].typ)
	}
	descending, ok := c.order(k, 1)
	if !ok {
		return null()
	}
	return compileRearranged(func(f *frame, _ place, list []any) []any {
		down, _ := descending(f)
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b any) int { return orderNullsLast(a, b, down) })
		return list
	})(c, k)
}

// order compiles the argument "asc" or "desc".
func (c *compiler) order(k call, i int) (fn[bool], bool) {
	if i >= len(k.args) || k.args[i].typ.kind == kindNull { // or not known yet
		return func(*frame) (bool, bool) { return false, true }, true
	}
	order, _ := k.args[i].constant.(string)
	if order != "asc" && order != "desc" {
		c.problem(k.nodes[i], BadValue, "", `the order must be "asc" or "desc"`)
		return nil, false
	}
	return func(*frame) (bool, bool) { return order == "desc", true }, true
}

func compileConcat(c *compiler, k call) operand {
	var typ dataType
	for i, o := range k.args {
		unified, ok := unify(typ, o.typ)
		if !ok || unified.kind != kindList && unified.kind != kindNull {
			return c.problem(k.nodes[i], Mistyped, "", "`concat` takes lists of one type, found %s", o.typ)
		}
		typ = unified
	}
	if typ.kind == kindNull {
		return null()
	}
	lists := make([]fn[any], len(k.args))
	for i, o := range k.args {
		lists[i] = boxed(c.coerce(o, typ))
	}
	return fromBoxed(typ, func(f *frame) (any, bool) {
		var all []any
		for _, list := range lists {
			v, ok := list(f)
			if !ok || !f.allocate(k.at, len(v.([]any))*elementBytes) {
				return nil, false
			}
			all = append(all, v.([]any)...)
		}
		return all, true
	})
}

func compileFlatten(c *compiler, k call) operand {
	list, elem, ok := c.elements(k.args[0], k.name)
	if !ok {
		return null()
	}
	if elem.kind != kindList && elem.kind != kindJSON && elem.kind != kindNull {
		return c.problem(k.nodes[0], Mistyped, "", "`flatten` takes a list of lists, found %s", k.args[0].typ)
	}
	if elem.kind == kindJSON {
		elem = listOf(elem)
	}
	return fromBoxed(elem, func(f *frame) (any, bool) {
		v, ok := list(f)
		if !ok {
			return nil, false
		}
		all := []any{}
		for _, inner := range v.([]any) {
			elements, isList := inner.([]any)
			if !isList && inner != nil {
				elements = []any{inner}
			}
			if !f.allocate(k.at, len(elements)*elementBytes) {
				return nil, false
			}
			all = append(all, elements...)
		}
		return all, true
	})
}

func compileKeys(c *compiler, k call) operand {
	texts := listOf(dataType{kind: kindString})
	switch o := k.args[0]; o.typ.kind {
	case kindNull:
		return fromBoxed(texts, nullOf[any])
	case kindRecord:
		names := make([]any, len(o.typ.fields))
		for i, f := range o.typ.fields {
			names[i] = f.name
		}
		record := boxed(o)
		return fromBoxed(texts, func(f *frame) (any, bool) {
			_, ok := record(f)
			return names, ok
		})
	case kindJSON:
		return c.membersOf(k, texts, func(object map[string]any, name string) any { return name })
	}
	return c.problem(k.nodes[0], Mistyped, "", "`keys` takes a record or json, found %s", k.args[0].typ)
}

func compileValues(c *compiler, k call) operand {
	o := k.args[0]
	switch o.typ.kind {
	case kindNull:
		return null()
	case kindJSON:
		return c.membersOf(k, listOf(o.typ), func(object map[string]any, name string) any { return object[name] })
	case kindRecord:
		var elem dataType
		for _, f := range o.typ.fields {
			if elem.kind != kindNull && !elem.equal(f.typ) {
				return c.problem(k.nodes[0], Mistyped, "", "`values` takes a record whose members have one type, found %s", o.typ)
			}
			elem = f.typ
		}
		return fromBoxed(listOf(elem), boxed(o))
	}
	return c.problem(k.nodes[0], Mistyped, "", "`values` takes a record or json, found %s", o.typ)
}

// membersOf lists the members of a json object in order of name.
func (c *compiler) membersOf(k call, result dataType, pick func(map[string]any, string) any) operand {
	eval := boxed(k.args[0])
	return fromBoxed(result, func(f *frame) (any, bool) {
		v, ok := eval(f)
		object, isObject := v.(map[string]any)
		if !ok || !isObject || !f.allocate(k.at, len(object)*elementBytes) {
			return nil, false
		}
		list := make([]any, 0, len(object))
		for _, name := range slices.Sorted(maps.Keys(object)) {
			list = append(list, pick(object, name))
		}
		return list, true
	})
}
