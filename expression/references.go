package expression

import (
	"cmp"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// ReferenceKind says what a Reference names.
type ReferenceKind int

const (
	// ColumnReference names a root column of the payload, or an envelope
	// column such as _flow_subject.
	ColumnReference ReferenceKind = iota
	// ParamReference names a parameter: param.NAME.
	ParamReference
	// MessageReference names a member of msg: subject, headers and so on.
	MessageReference
)

// Reference is one use of a name.
type Reference struct {
	Kind       ReferenceKind
	Name       string
	Start, End int // bytes in the expression's text: the name alone
}

// Columns returns every use of a column, a parameter or a member of msg, in
// order of the text.
func (e *Expression) Columns() []Reference {
	var found []Reference
	add := func(kind ReferenceKind, name string, node ast.Node) {
		at := e.source.bytes(node.Location())
		found = append(found, Reference{Kind: kind, Name: name, Start: at.start, End: at.end})
	}
	callees := map[ast.Node]bool{}
	inspect(e.root, func(node ast.Node) {
		switch n := node.(type) {
		case *ast.CallNode:
			callees[n.Callee] = true
		case *ast.IdentifierNode:
			if !callees[n] && n.Value != envName && n.Value != msgName && n.Value != paramName {
				add(ColumnReference, n.Value, n)
			}
		case *ast.MemberNode:
			root, isName := n.Node.(*ast.IdentifierNode)
			property, isText := n.Property.(*ast.StringNode)
			if !isName || !isText {
				return
			}
			switch root.Value {
			case envName:
				add(ColumnReference, property.Value, property)
			case paramName:
				add(ParamReference, property.Value, property)
			case msgName:
				add(MessageReference, property.Value, property)
			}
		}
	})
	slices.SortStableFunc(found, func(a, b Reference) int { return cmp.Compare(a.Start, b.Start) })
	return slices.Compact(found) // 1 < x < 3 has x twice in its tree
}
