package lang

import "github.com/alecthomas/participle/v2/lexer"

// MaxDepth is how deep brackets may nest. With the bound on the length of an
// expression it bounds the recursion of every parser that sees a program, the
// one for expressions too.
const MaxDepth = 64

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// matchBrackets pairs the brackets of a file and makes bad tokens of those
// without a partner and of those that nest too deep. Everyone else can then
// count depth without care.
func matchBrackets(tokens []lexer.Token) Diagnostics {
	m := matcher{tokens: tokens}
	for i, t := range tokens {
		switch {
		case isOpening(t):
			m.open = append(m.open, i)
		case isClosing(t):
			m.close(i)
		}
	}
	m.dropFrom(0)
	return m.problems
}

type matcher struct {
	tokens   []lexer.Token
	open     []int // indexes of the brackets that wait for a partner
	problems Diagnostics
	stray    bool // the last closing bracket had no partner
}

func (m *matcher) close(i int) {
	for n := len(m.open) - 1; n >= 0; n-- {
		if closing[m.tokens[m.open[n]].Value] != m.tokens[i].Value {
			continue
		}
		m.dropFrom(n + 1)
		m.pair(m.open[n], i, n)
		m.open = m.open[:n]
		m.stray = false
		return
	}
	m.tokens[i].Type = tokenBad
	if !m.stray {
		m.problems = append(m.problems, unopenedBracket(m.tokens[i]))
	}
	m.stray = true
}

// pair accepts two brackets at a depth, or refuses them for it.
func (m *matcher) pair(open, shut, depth int) {
	if depth < MaxDepth {
		return
	}
	m.tokens[open].Type, m.tokens[shut].Type = tokenBad, tokenBad
	if depth == MaxDepth {
		m.problems = append(m.problems, nestedTooDeep(m.tokens[open]))
	}
}

// dropFrom gives up on the open brackets from the nth on. Beyond MaxDepth one
// message would be like the other.
func (m *matcher) dropFrom(n int) {
	for k := n; k < len(m.open); k++ {
		t := &m.tokens[m.open[k]]
		t.Type = tokenBad
		if k < MaxDepth {
			m.problems = append(m.problems, unclosedBracket(*t))
		}
	}
	m.open = m.open[:n]
}
