package expression

import (
	"errors"
	"io"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// span is a byte range of an expression's text.
type span struct{ start, end int }

func (s span) join(t span) span {
	return span{min(s.start, t.start), max(s.end, t.end)}
}

// source is an expression's text with its tokens, in bytes. expr counts in
// characters and locates a node by one of its tokens only; source turns that
// into the byte range of the whole node.
type source struct {
	text    string
	offsets []int // byte offset of every character, and of the end
	tokens  []lexer.Token
}

// newSource lexes text, one token further than is allowed at most. On a lexical
// error the tokens before it are kept.
func newSource(text string) (*source, *file.Error) {
	s := &source{text: text, offsets: make([]int, 0, len(text)+1)}
	for i := range text {
		s.offsets = append(s.offsets, i)
	}
	s.offsets = append(s.offsets, len(text))
	lex := lexer.New()
	lex.Reset(file.NewSource(text))
	for len(s.tokens) <= maxTokens {
		token, err := lex.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			lexical, _ := errors.AsType[*file.Error](err)
			return s, lexical
		}
		if token.Kind == lexer.EOF {
			return s, nil
		}
		s.tokens = append(s.tokens, token)
	}
	return s, nil
}

// bytes turns a location in characters into a byte range.
func (s *source) bytes(l file.Location) span {
	last := len(s.offsets) - 1
	return span{s.offsets[min(max(l.From, 0), last)], s.offsets[min(max(l.To, 0), last)]}
}

func (s *source) whole() span {
	if len(s.tokens) == 0 {
		return span{0, len(s.text)}
	}
	return s.bytes(s.tokens[0].Location).join(s.bytes(s.tokens[len(s.tokens)-1].Location))
}

func (s *source) slice(at span) string { return s.text[at.start:at.end] }

// span returns the range of a whole node: the tokens of everything below it,
// widened until its brackets are balanced.
func (s *source) span(node ast.Node) span {
	return s.balance(s.withBracket(node, s.extent(node)))
}

// withBracket adds the opening bracket of a call without arguments, which
// belongs to no node.
func (s *source) withBracket(node ast.Node, at span) span {
	switch n := node.(type) {
	case *ast.BuiltinNode:
		if len(n.Arguments) > 0 {
			return at
		}
	case *ast.CallNode:
		if len(n.Arguments) > 0 {
			return at
		}
	default:
		return at
	}
	for _, token := range s.tokens {
		if place := s.bytes(token.Location); place.start >= at.end && token.Is(lexer.Bracket, "(") {
			return at.join(place)
		}
	}
	return at
}

func (s *source) extent(node ast.Node) span {
	own := s.bytes(node.Location())
	_, synthetic := node.(*ast.ConditionalNode) // located at the token after it
	for i, child := range children(node) {
		if inner := s.extent(child); i == 0 && synthetic {
			own = inner
		} else {
			own = own.join(inner)
		}
	}
	return own
}

func (s *source) balance(at span) span {
	var open, missing int
	first, last := -1, -1
	for i, token := range s.tokens {
		place := s.bytes(token.Location)
		if place.start < at.start || place.end > at.end {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
		switch depth(token) {
		case 1:
			open++
		case -1:
			if open == 0 {
				missing++
			} else {
				open--
			}
		}
	}
	if first < 0 {
		return at
	}
	at.end = max(at.end, s.seek(last+1, 1, open, at.end))
	at.start = min(at.start, s.seek(first-1, -1, missing, at.start))
	return at
}

// seek walks over tokens from i in one direction until count brackets of outer
// level are passed, and returns the far edge of the last one.
func (s *source) seek(i, direction, count, edge int) int {
	level := 0
	for ; count > 0 && i >= 0 && i < len(s.tokens); i += direction {
		level += depth(s.tokens[i]) * direction
		if level < 0 {
			level = 0
			count--
			place := s.bytes(s.tokens[i].Location)
			edge = place.end
			if direction < 0 {
				edge = place.start
			}
		}
	}
	return edge
}

// depth is 1 for an opening bracket, -1 for a closing one, else 0.
func depth(token lexer.Token) int {
	switch {
	case token.Is(lexer.Bracket, "(", "[", "{"):
		return 1
	case token.Kind == lexer.Bracket:
		return -1
	}
	return 0
}

// children returns the nodes directly below node, in order of their text.
func children(node ast.Node) []ast.Node {
	var below []ast.Node
	switch n := node.(type) {
	case *ast.UnaryNode:
		below = []ast.Node{n.Node}
	case *ast.BinaryNode:
		below = []ast.Node{n.Left, n.Right}
	case *ast.ChainNode:
		below = []ast.Node{n.Node}
	case *ast.MemberNode:
		below = []ast.Node{n.Node, n.Property}
	case *ast.SliceNode:
		below = []ast.Node{n.Node, n.From, n.To}
	case *ast.CallNode:
		below = append([]ast.Node{n.Callee}, n.Arguments...)
	case *ast.BuiltinNode:
		below = n.Arguments
	case *ast.PredicateNode:
		below = []ast.Node{n.Node}
	case *ast.ConditionalNode:
		below = []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.VariableDeclaratorNode:
		below = []ast.Node{n.Value, n.Expr}
	case *ast.SequenceNode:
		below = n.Nodes
	case *ast.ArrayNode:
		below = n.Nodes
	case *ast.MapNode:
		below = n.Pairs
	case *ast.PairNode:
		below = []ast.Node{n.Key, n.Value}
	}
	present := below[:0:0]
	for _, child := range below {
		if child != nil {
			present = append(present, child)
		}
	}
	return present
}

// inspect calls visit for node and everything below it, outermost first.
func inspect(node ast.Node, visit func(ast.Node)) {
	visit(node)
	for _, child := range children(node) {
		inspect(child, visit)
	}
}
