package lang

import (
	"fmt"
	"io"

	"github.com/alecthomas/participle/v2/lexer"
)

// The kinds of token. Space, Comment and Stray are elided by the grammar, but
// stay in the stream so that the formatter sees them.
const (
	tokenSpace lexer.TokenType = lexer.EOF - 1 - iota
	tokenComment
	tokenStray   // white space to the grammar, but reported: a # comment
	tokenKeyword // a clause word where a clause starts; made by the cutter
	tokenIdent
	tokenNumber // 1, 1.5, 1m30s, 0x1F: digits and what hangs on to them
	tokenString // "..."
	tokenRaw    // `...`
	tokenSingle // '...', a string in expressions only
	tokenBytes  // b"..." and b'...', in expressions only
	tokenPunct
	tokenBad // reported by whoever made it; the clause that holds it is not parsed
)

// definition gives participle the names of the tokens.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF":     lexer.EOF,
		"Space":   tokenSpace,
		"Comment": tokenComment,
		"Stray":   tokenStray,
		"Keyword": tokenKeyword,
		"Ident":   tokenIdent,
		"Number":  tokenNumber,
		"String":  tokenString,
		"Raw":     tokenRaw,
		"Single":  tokenSingle,
		"Bytes":   tokenBytes,
		"Punct":   tokenPunct,
		"Bad":     tokenBad,
	}
}

// Lex is what participle asks of a definition; [Parse] scans by itself, because
// it also wants the scanner's diagnostics.
func (definition) Lex(name string, r io.Reader) (lexer.Lexer, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	tokens, _ := scan(&Source{Name: name, Text: string(text)})
	return &tokenList{tokens: tokens, end: len(text)}, nil
}

// A tokenList is a lexer over tokens that are there already.
type tokenList struct {
	tokens []lexer.Token
	end    int // offset of the end of input
}

func (l *tokenList) Next() (lexer.Token, error) {
	if len(l.tokens) == 0 {
		return lexer.EOFToken(lexer.Position{Offset: l.end}), nil
	}
	t := l.tokens[0]
	l.tokens = l.tokens[1:]
	return t, nil
}

func isElided(t lexer.Token) bool {
	return t.Type == tokenSpace || t.Type == tokenComment || t.Type == tokenStray
}

func isWord(t lexer.Token) bool { return t.Type == tokenIdent || t.Type == tokenKeyword }

func isPunct(t lexer.Token, value string) bool { return t.Type == tokenPunct && t.Value == value }

func isText(t lexer.Token) bool { return t.Type == tokenString || t.Type == tokenRaw }

func tokenEnd(t lexer.Token) int { return t.Pos.Offset + len(t.Value) }

func tokenSpan(t lexer.Token) Span { return Span{t.Pos.Offset, tokenEnd(t)} }
