package expression

import (
	"cmp"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// scopeType is what `#`, `#index` and `#acc` are within a predicate.
type scopeType struct {
	element dataType
	carry   *dataType // of reduce
}

// pointer compiles `#`, `#index` and `#acc`.
func (c *compiler) pointer(n *ast.PointerNode) operand {
	depth := len(c.scopes) - 1
	if depth < 0 {
		return c.problem(n, Syntax, "", "`#` is an element of a list: only within `any(list, # > 1)` and the like")
	}
	typ := c.scopes[depth]
	switch {
	case n.Name == "":
		return fromBoxed(typ.element, func(f *frame) (any, bool) {
			v := f.scopes[depth].element
			return v, v != nil
		})
	case n.Name == "index":
		return nullableIf(false, computed(kindInt, fn[int64](func(f *frame) (int64, bool) { return f.scopes[depth].index, true })))
	case n.Name == "acc" && typ.carry != nil:
		return fromBoxed(*typ.carry, func(f *frame) (any, bool) {
			v := f.scopes[depth].carry
			return v, v != nil
		})
	}
	if n.Name == "acc" {
		return c.problem(n, UnknownName, "", "`#acc` exists only in the value of `reduce`")
	}
	return c.unknown(n, "pointer", "#"+n.Name, []string{"#", "#index", "#acc"})
}

// body compiles a predicate over the elements of a list.
func (c *compiler) body(node ast.Node, scope scopeType) operand {
	if p, ok := node.(*ast.PredicateNode); ok {
		node = p.Node
	}
	c.scopes = append(c.scopes, scope)
	c.deepest = max(c.deepest, len(c.scopes))
	o := c.compile(node)
	c.scopes = c.scopes[:len(c.scopes)-1]
	return o
}

// elements compiles a function's list. The element of json is json.
func (c *compiler) elements(o operand, name string) (fn[any], dataType, bool) {
	switch o.typ.kind {
	case kindNull:
		return nullOf[any], dataType{}, true
	case kindList:
		return boxed(o), *o.typ.elem, true
	case kindJSON:
		values := boxed(o)
		return func(f *frame) (any, bool) {
			v, _ := values(f)
			list, ok := v.([]any)
			return list, ok
		}, o.typ, true
	}
	c.problem(o.node, Mistyped, "", "`%s` takes a list, found %s", name, o.typ)
	return nil, dataType{}, false
}

// loop visits the elements of a list: visit gets each with its index, and ends
// the loop with false. loop returns false if the list is null or the row fails.
type loop func(f *frame, visit func(index int, element any) bool) bool

func (c *compiler) loop(node ast.Node, list fn[any]) loop {
	at, depth := c.place(node), len(c.scopes)
	return func(f *frame, visit func(int, any) bool) bool {
		v, ok := list(f)
		if !ok {
			return false
		}
		for i, element := range v.([]any) {
			f.scopes[depth].element, f.scopes[depth].index = element, int64(i)
			if !f.step(at, 1) || !visit(i, element) {
				break
			}
		}
		return f.err == nil
	}
}

// quantifier compiles all, none, any, one: three-valued like and/or.
func (c *compiler) quantifier(name string, each loop, test fn[bool]) operand {
	return computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		var yes, no, unknown int
		visited := each(f, func(int, any) bool {
			switch v, ok := test(f); {
			case !ok:
				unknown++
			case v:
				yes++
			default:
				no++
			}
			return !settled(name, yes, no)
		})
		if !visited {
			return false, false
		}
		return decide(name, yes, no, unknown)
	}))
}

// settled reports whether no further element can change the result.
func settled(name string, yes, no int) bool {
	switch name {
	case "all":
		return no > 0
	case "one":
		return yes > 1
	}
	return yes > 0
}

func decide(name string, yes, no, unknown int) (value, known bool) {
	switch name {
	case "all":
		return no == 0, no > 0 || unknown == 0
	case "any":
		return yes > 0, yes > 0 || unknown == 0
	case "none":
		return yes == 0, yes > 0 || unknown == 0
	}
	return yes == 1, yes > 1 || unknown == 0 // one
}

// finder compiles find, findLast, findIndex, findLastIndex: null if none is.
func (c *compiler) finder(last bool, each loop, test fn[bool]) func(*frame) (int, any) {
	return func(f *frame) (at int, found any) {
		at = -1
		each(f, func(i int, element any) bool {
			if v, ok := test(f); ok && v {
				at, found = i, element
				return last
			}
			return true
		})
		return at, found
	}
}

// sift compiles filter: the elements for which test is true.
func (c *compiler) sift(node ast.Node, each loop, test fn[bool]) fn[any] {
	at := c.place(node)
	return func(f *frame) (any, bool) {
		kept := []any{}
		ok := each(f, func(_ int, element any) bool {
			if v, ok := test(f); ok && v {
				kept = append(kept, element)
				return f.allocate(at, elementBytes)
			}
			return true
		})
		return kept, ok && f.err == nil
	}
}

// transform compiles map: the values of body for each element.
func (c *compiler) transform(node ast.Node, each loop, body fn[any]) fn[any] {
	at := c.place(node)
	return func(f *frame) (any, bool) {
		made := []any{}
		ok := each(f, func(int, any) bool {
			v, _ := body(f)
			made = append(made, v)
			return f.allocate(at, elementBytes)
		})
		return made, ok && f.err == nil
	}
}

// sortBy compiles sortBy: stable, nulls last.
func (c *compiler) sortBy(node ast.Node, each loop, key fn[any], descending fn[bool]) fn[any] {
	at := c.place(node)
	return func(f *frame) (any, bool) {
		type keyed struct{ key, element any }
		var pairs []keyed
		ok := each(f, func(_ int, element any) bool {
			k, _ := key(f)
			pairs = append(pairs, keyed{k, element})
			return f.allocate(at, 4*elementBytes)
		})
		down, known := descending(f)
		if !ok || !known || f.err != nil {
			return nil, false
		}
		slices.SortStableFunc(pairs, func(a, b keyed) int { return orderNullsLast(a.key, b.key, down) })
		sorted := make([]any, len(pairs))
		for i, p := range pairs {
			sorted[i] = p.element
		}
		return sorted, true
	}
}

func orderNullsLast(a, b any, descending bool) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(boolInt(a == nil), boolInt(b == nil))
	case descending:
		a, b = b, a
	}
	order, _ := compareValues(a, b)
	return order
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
