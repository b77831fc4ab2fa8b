package expression

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/expr-lang/expr/ast"
	"slices"
)

// list compiles [a, b, c], whose elements have one type.
func (c *compiler) list(n *ast.ArrayNode) operand {
	elements := make([]operand, len(n.Nodes))
	for i, node := range n.Nodes {
		elements[i] = c.compile(node)
	}
	var elem dataType
	for i, node := range n.Nodes {
		typ, ok := unify(elem, elements[i].typ)
		if !ok {
			return c.problem(node, Mistyped, c.conversionHelp(elements[i], elem.kind),
				"the elements of a list must have one type, found %s after %s", elements[i].typ, elem)
		}
		elem = typ
	}
	for i := range elements {
		elements[i] = c.coerce(elements[i], elem)
	}
	o := operand{typ: listOf(elem), eval: c.collect(n, elements)}
	if values, ok := constants(n.Nodes, elements); ok {
		o.constant = values
		o.eval = fn[any](func(*frame) (any, bool) { return values, true })
	}
	return o
}

// collect computes operands into one new list.
func (c *compiler) collect(node ast.Node, operands []operand) fn[any] {
	at := c.place(node)
	evals := make([]fn[any], len(operands))
	for i, o := range operands {
		evals[i] = boxed(o)
	}
	return func(f *frame) (any, bool) {
		if !f.allocate(at, len(evals)*elementBytes) {
			return nil, false
		}
		list := make([]any, len(evals))
		for i, eval := range evals {
			list[i], _ = eval(f)
		}
		return list, true
	}
}

// constants returns the elements if all are literals.
func constants(nodes []ast.Node, elements []operand) ([]any, bool) {
	values := make([]any, len(elements))
	for i, element := range elements {
		if element.constant == nil && !isNil(nodes[i]) {
			return nil, false
		}
		values[i] = element.constant
	}
	return values, true
}

// record compiles { name: value }.
func (c *compiler) record(n *ast.MapNode) operand {
	members := make([]operand, len(n.Pairs))
	for i, node := range n.Pairs {
		members[i] = c.compile(node.(*ast.PairNode).Value)
	}
	typ := dataType{kind: kindRecord}
	for i, node := range n.Pairs {
		pair := node.(*ast.PairNode)
		key, ok := pair.Key.(*ast.StringNode)
		switch {
		case !ok:
			return c.problem(pair.Key, Mistyped, "", "the name of a member must be written as a name or as text")
		case typ.fieldIndex(key.Value) >= 0:
			return c.problem(key, BadValue, "", "member `%s` occurs twice", key.Value)
		}
		typ.fields = append(typ.fields, field{key.Value, members[i].typ})
	}
	return operand{typ: typ, eval: c.collect(n, members)}
}

// memberOf resolves a member of a record or an element of a list. What is
// missing, or beyond the list, is null.
func (c *compiler) memberOf(n *ast.MemberNode, base operand) operand {
	switch base.typ.kind {
	case kindNull:
		c.compile(n.Property)
		return null()
	case kindRecord:
		return c.recordMember(n, base)
	case kindJSON:
		return c.jsonMember(base, c.compile(n.Property))
	case kindList:
		index := c.compile(n.Property)
		if index.constant != nil && index.typ.kind == kindString {
			return c.problem(n.Property, Mistyped, "write `map(list, .member)` for that member of each element", "a list has no member `%s`", index.constant)
		}
		if !c.expect(index, kindInt, "the index of a list") {
			return null()
		}
		return c.element(base, index)
	}
	if name, ok := n.Property.(*ast.StringNode); ok {
		return c.problem(n.Property, UnknownName, methodHelp(name.Value), "%s has no member `%s`", article(base.typ.String()), name.Value)
	}
	help := ""
	if base.typ.kind == kindString {
		help = "write `text[0:1]` for the first character of text"
	}
	return c.problem(n, Mistyped, help, "%s has no elements", article(base.typ.String()))
}

func (c *compiler) element(list, index operand) operand {
	values, at := boxed(list), as[int64](index)
	return fromBoxed(*list.typ.elem, func(f *frame) (any, bool) {
		v, ok := values(f)
		i, alsoOK := at(f)
		if !ok || !alsoOK {
			return nil, false
		}
		return elementAt(v.([]any), i)
	})
}

// elementAt counts negative indexes from the end.
func elementAt(list []any, i int64) (any, bool) {
	if i < 0 {
		i += int64(len(list))
	}
	if i < 0 || i >= int64(len(list)) {
		return nil, false
	}
	return list[i], list[i] != nil
}

func (c *compiler) recordMember(n *ast.MemberNode, base operand) operand {
	name, ok := n.Property.(*ast.StringNode)
	if !ok {
		return c.problem(n.Property, Mistyped, "", "the name of a member must be written as a name or as text")
	}
	i := base.typ.fieldIndex(name.Value)
	if i < 0 {
		return c.unknownMember(n.Node, n.Property, name.Value, base.typ.fieldNames())
	}
	typ := base.typ.fields[i].typ
	if base.column != nil {
		path := slices.Concat(base.column.path, columnPath{i})
		f := base.column.field.Type.(*arrow.StructType).Field(i)
		f.Nullable = f.Nullable || base.nullable
		return c.useColumn(base.column.name+"."+name.Value, typ, f, path)
	}
	record := boxed(base)
	return fromBoxed(typ, func(f *frame) (any, bool) {
		v, ok := record(f)
		if !ok {
			return nil, false
		}
		member := v.([]any)[i]
		return member, member != nil
	})
}

func (c *compiler) jsonMember(base, property operand) operand {
	container, key := boxed(base), boxed(property)
	return fromBoxed(dataType{kind: kindJSON}, func(f *frame) (any, bool) {
		v, ok := container(f)
		k, alsoOK := key(f)
		if !ok || !alsoOK {
			return nil, false
		}
		switch k := k.(type) {
		case string:
			object, _ := v.(map[string]any)
			return object[k], object[k] != nil
		case int64:
			list, _ := v.([]any)
			return elementAt(list, k)
		}
		return nil, false
	})
}

// slice compiles x[from:to] over text and lists. Negative bounds count from
// the end, and bounds beyond the ends are moved to them.
func (c *compiler) slice(n *ast.SliceNode) operand {
	base := c.compile(n.Node)
	from, to := c.bound(n.From), c.bound(n.To)
	if from == nil || to == nil {
		return null()
	}
	switch base.typ.kind {
	case kindNull:
		return null()
	case kindString:
		text := searched(as[string](base), c.place(n))
		return computed(kindString, fn[string](func(f *frame) (string, bool) {
			s, ok := text(f)
			length := characters(s)
			a, b, known := bounds(f, from, to, length)
			return cut(s, a, b), ok && known
		}))
	case kindList:
		list := boxed(base)
		return fromBoxed(base.typ, func(f *frame) (any, bool) {
			v, ok := list(f)
			if !ok {
				return nil, false
			}
			values := v.([]any)
			a, b, known := bounds(f, from, to, int64(len(values)))
			return values[a:b], known
		})
	}
	return c.problem(n.Node, Mistyped, c.conversionHelp(base, kindString), "a slice takes text or a list, found %s", base.typ)
}

// missingBound stands for a bound that is not written.
func missingBound(*frame) (int64, bool) { return 0, true }

type sliceBound struct {
	written bool
	eval    fn[int64]
}

func (c *compiler) bound(node ast.Node) *sliceBound {
	if node == nil {
		return &sliceBound{eval: missingBound}
	}
	o := c.compile(node)
	if !c.expect(o, kindInt, "the bound of a slice") {
		return nil
	}
	return &sliceBound{written: true, eval: as[int64](o)}
}

// bounds evaluates the bounds of a slice: 0 <= from <= to <= length.
func bounds(f *frame, from, to *sliceBound, length int64) (a, b int64, ok bool) {
	a, ok = from.eval(f)
	b, alsoOK := to.eval(f)
	if !ok || !alsoOK {
		return 0, 0, false
	}
	if !to.written {
		b = length
	}
	if a < 0 {
		a += length
	}
	if b < 0 {
		b += length
	}
	b = min(max(b, 0), length)
	return min(max(a, 0), b), b, true
}

// interval compiles from..to, the list of ints with both ends.
func (c *compiler) interval(n *ast.BinaryNode, l, r operand) operand {
	left, right := c.expect(l, kindInt, "`..`"), c.expect(r, kindInt, "`..`")
	if !left || !right {
		return null()
	}
	at := c.place(n)
	from, to := as[int64](l), as[int64](r)
	list := fromBoxed(listOf(dataType{kind: kindInt}), func(f *frame) (any, bool) {
		a, ok := from(f)
		b, alsoOK := to(f)
		if !ok || !alsoOK {
			return nil, false
		}
		if b < a {
			return []any{}, true
		}
		size := uint64(b) - uint64(a)
		if size >= maxRowMemory {
			size = maxRowMemory
		}
		if !f.allocate(at, int(size+1)*elementBytes) {
			return nil, false
		}
		list := make([]any, 0, size+1)
		for v := a; ; v++ {
			if list = append(list, v); v == b {
				return list, true
			}
		}
	})
	list.bounds = &[2]operand{l, r}
	return list
}
