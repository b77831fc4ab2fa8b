package lang

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// A String is a literal: "with Go's escapes", or `as it stands`, where two
// backquotes are one.
type String struct {
	Raw   string // with its quotes
	Value string // what it means

	span Span
}

// Span returns the place of the literal with its quotes.
func (s *String) Span() Span { return s.span }

// Sub returns the place of a part of the value, given as byte offsets into
// Value. Offsets inside an escape count as the whole escape.
func (s *String) Sub(start, end int) Span {
	whole := Span{s.span.Start + 1, s.span.End - 1}
	sub, started := Span{whole.End, whole.End}, false
	at := 0 // in Value
	for offset := 1; offset < len(s.Raw)-1; {
		text, size, err := decodeOne(s.Raw, offset)
		if err != nil {
			return whole
		}
		if !started && at+len(text) > start {
			sub, started = Span{s.span.Start + offset, s.span.Start + offset}, true
		}
		if started && at < end {
			sub.End = s.span.Start + offset + size
		}
		at += len(text)
		offset += size
	}
	return sub
}

// Parse takes a string token; participle calls it.
func (s *String) Parse(lex *lexer.PeekingLexer) error {
	t := *lex.Peek()
	if !isText(t) {
		return participle.NextMatch
	}
	lex.Next()
	s.Raw, s.span = t.Value, tokenSpan(t)
	var value strings.Builder
	for offset := 1; offset < len(t.Value)-1; {
		text, size, err := decodeOne(t.Value, offset)
		if err != nil {
			at := t.Pos.Offset + offset
			return badEscape(Span{at, at + size}, t.Value[offset:offset+size])
		}
		value.WriteString(text)
		offset += size
	}
	s.Value = value.String()
	return nil
}

// decodeOne returns what the character or the escape at an offset of a literal
// means, and its size in the literal.
func decodeOne(raw string, offset int) (string, int, error) {
	inside := raw[offset : len(raw)-1]
	if raw[0] == '`' {
		if strings.HasPrefix(inside, "``") {
			return "`", 2, nil
		}
		_, size := utf8.DecodeRuneInString(inside)
		return inside[:size], size, nil
	}
	if inside[0] != '\\' {
		_, size := utf8.DecodeRuneInString(inside)
		return inside[:size], size, nil
	}
	r, multibyte, tail, err := strconv.UnquoteChar(inside, '"')
	if err != nil {
		_, size := utf8.DecodeRuneInString(inside[1:])
		return "", 1 + size, err
	}
	size := len(inside) - len(tail)
	if r < utf8.RuneSelf || multibyte {
		return string(r), size, nil
	}
	return string([]byte{byte(r)}), size, nil
}

func badEscape(span Span, text string) Diagnostic {
	return Diagnostic{
		Code: "F1007", Span: span, Summary: fmt.Sprintf("unknown escape %s in a string", quote(text)),
		Help: "escapes are `\\\"` `\\\\` `\\n` `\\t` `\\r` `\\xHH` `\\uHHHH` `\\UHHHHHHHH`; a string in backquotes has none",
	}
}
