package lang

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// productions parse a clause, chosen by its word: the choice that a grammar of
// all clauses would make by trying one after the other.
var productions = map[string]func(*lexer.PeekingLexer) (Clause, error){
	"language":   production[Language](),
	"param":      production[Param](),
	"connection": production[Connection](),
	"schema":     production[Schema](),
	"flow":       production[FlowName](),
	"from":       production[From](),
	"epoch":      production[Epoch](),
	"where":      production[Where](),
	"select":     production[Select](),
	"drop":       production[Drop](),
	"to":         production[Sink](),
	"on":         production[OnError](),
}

func production[C any, P interface {
	*C
	Clause
}]() func(*lexer.PeekingLexer) (Clause, error) {
	parser := sync.OnceValue(func() *participle.Parser[C] {
		return participle.MustBuild[C](
			participle.Lexer(definition{}),
			participle.UseLookahead(0), // a rule that has begun to match is the one: the error is where it stops
		)
	})
	return func(lex *lexer.PeekingLexer) (Clause, error) {
		clause, err := parser().ParseFromLexer(lex)
		if err != nil {
			return nil, err
		}
		return P(clause), nil
	}
}
