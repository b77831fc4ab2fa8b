package expression

import (
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// maxTokens bounds an expression, and with it the depth of every recursion
// over its tree. maxNodes bounds the walks: a chain such as 1 < x < 3 has the
// node in its middle twice, so that chains in chains double with every level.
const (
	maxTokens = 5000
	maxNodes  = 20_000
)

// Expression is a parsed expression. It is immutable and safe for concurrent
// use.
type Expression struct {
	source *source
	root   ast.Node
}

// Text returns the text that was parsed.
func (e *Expression) Text() string { return e.source.text }

// Parse parses text and reports everything that can be said without a schema:
// syntax, forms that are refused, unknown functions, wrong numbers of
// arguments, bad literals and operators over literals of the wrong type.
//
// The expression is nil exactly if its syntax is wrong. If it is not nil but
// there are problems other than warnings, Compile fails, too, and reports them
// again among its own, but for those of a call or an operator that gets a wrong
// type by the schema.
func Parse(text string) (*Expression, []Problem) {
	e, problem := parseSyntax(text)
	if problem != nil {
		return nil, []Problem{*problem}
	}
	c := newCompiler(e, Environment{})
	c.compile(e.root)
	return e, ordered(c.problems)
}

// parseSyntax gives the expression or the one problem that prevents it.
func parseSyntax(text string) (*Expression, *Problem) {
	src, lexical := newSource(text)
	if len(src.tokens) > maxTokens {
		return nil, &Problem{End: len(text), Kind: Syntax,
			Message: fmt.Sprintf("expression is too long: more than %d words and signs", maxTokens)}
	}
	if lexical != nil {
		return nil, lexicalProblem(src, lexical)
	}
	if problem := checkTokens(src); problem != nil {
		return nil, problem
	}
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, syntaxProblem(src, err)
	}
	if treeSize(tree.Node, map[ast.Node]int{}) > maxNodes {
		return nil, &Problem{End: len(text), Kind: Syntax, Message: "expression is too large: chains of comparisons stand in one another"}
	}
	return &Expression{source: src, root: tree.Node}, nil
}

// treeSize counts the nodes that a walk meets, at most just above maxNodes.
func treeSize(node ast.Node, known map[ast.Node]int) int {
	if size, ok := known[node]; ok {
		return size
	}
	size := 1
	for _, child := range children(node) {
		size = min(size+treeSize(child, known), maxNodes+1)
	}
	known[node] = size
	return size
}
