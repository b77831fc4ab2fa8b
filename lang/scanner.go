package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// A scanner cuts a text into tokens that together are the whole text. What it
// cannot take becomes a bad token and a problem, so that it never stops.
type scanner struct {
	text     string
	pos      int
	depth    int // of brackets
	tokens   []lexer.Token
	problems Diagnostics
}

func scan(src *Source) ([]lexer.Token, Diagnostics) {
	s := &scanner{text: src.Text, tokens: make([]lexer.Token, 0, len(src.Text)/4)}
	s.start()
	for s.pos < len(s.text) {
		s.next()
	}
	s.problems = append(s.problems, matchBrackets(s.tokens)...)
	return s.tokens, s.problems
}

// start takes what is allowed at the start of a file only.
func (s *scanner) start() {
	if strings.HasPrefix(s.text, byteOrderMark) {
		s.emit(tokenSpace, len(byteOrderMark))
	}
	if strings.HasPrefix(s.rest(), "#!") {
		s.emit(tokenComment, lineLength(s.rest()))
	}
}

func (s *scanner) rest() string { return s.text[s.pos:] }

func (s *scanner) emit(kind lexer.TokenType, length int) Span {
	t := lexer.Token{Type: kind, Value: s.text[s.pos : s.pos+length], Pos: lexer.Position{Offset: s.pos}}
	s.tokens = append(s.tokens, t)
	s.pos += length
	return tokenSpan(t)
}

func (s *scanner) problem(d Diagnostic) { s.problems = append(s.problems, d) }

func (s *scanner) next() {
	rest := s.rest()
	r, _ := utf8.DecodeRuneInString(rest)
	switch {
	case unicode.IsSpace(r):
		s.emit(tokenSpace, runLength(rest, unicode.IsSpace))
	case strings.HasPrefix(rest, "//"):
		s.emit(tokenComment, lineLength(rest))
	case strings.HasPrefix(rest, "/*"):
		s.blockComment()
	case r == '#' && s.depth == 0:
		s.hashComment()
	case r == '"':
		s.quoted(tokenString, 0)
	case r == '\'':
		s.quoted(tokenSingle, 0)
	case r == '`':
		s.raw()
	case (r == 'b' || r == 'B') && len(rest) > 1 && (rest[1] == '"' || rest[1] == '\''):
		s.quoted(tokenBytes, 1)
	case isDigit(r) || r == '.' && len(rest) > 1 && isDigit(rune(rest[1])):
		s.emit(tokenNumber, numberLength(rest))
	case isIdentRune(r):
		s.emit(tokenIdent, runLength(rest, isIdentRune))
	case typographic[r] != "":
		s.typographicQuote(r)
	default:
		s.punctuation()
	}
}

// Brackets decide whether a # is expr's element pointer (inside) or a comment
// as other languages write it (outside).
var punctuation = []string{
	"...", "..", "?.", "??", "&&", "||", "==", "!=", "<=", ">=", "**", "::",
	"(", ")", "[", "]", "{", "}", ",", ";", ":", "?", ".", "+", "-", "*", "/",
	"%", "^", "=", "<", ">", "!", "|", "&", "#",
}

func (s *scanner) punctuation() {
	rest := s.rest()
	for _, p := range punctuation {
		if !strings.HasPrefix(rest, p) {
			continue
		}
		switch p {
		case "(", "[", "{":
			s.depth++
		case ")", "]", "}":
			s.depth = max(s.depth-1, 0)
		}
		s.emit(tokenPunct, len(p))
		return
	}
	s.strange()
}

// strange takes a run of characters that no token starts with.
func (s *scanner) strange() {
	rest := s.rest()
	length := runLength(rest, func(r rune) bool {
		return !unicode.IsSpace(r) && !isIdentRune(r) && !strings.ContainsRune("\"'`([{}]),;:?.+-*/%^=<>!|&#", r) && typographic[r] == ""
	})
	_, first := utf8.DecodeRuneInString(rest)
	s.problem(strangeCharacter(s.emit(tokenBad, length), rest[:first]))
}

func (s *scanner) blockComment() {
	length := strings.Index(s.rest()[2:], "*/")
	if length >= 0 {
		s.emit(tokenComment, length+4)
		return
	}
	span := s.emit(tokenStray, len(s.rest()))
	s.problem(unclosedComment(Span{span.Start, span.Start + 2}))
}

func (s *scanner) hashComment() {
	s.problem(hashComment(s.emit(tokenStray, lineLength(s.rest()))))
}

// quoted takes a string whose quote stands after prefix bytes.
func (s *scanner) quoted(kind lexer.TokenType, prefix int) {
	rest := s.rest()
	quote := rest[prefix]
	for i := prefix + 1; i < len(rest) && rest[i] != '\n'; i++ {
		switch rest[i] {
		case '\\':
			if i+1 < len(rest) && rest[i+1] != '\n' {
				i++
			}
		case quote:
			s.checked(kind, i+1)
			return
		}
	}
	s.unclosed(prefix)
}

// raw takes a string in backquotes; two of them inside stand for one.
func (s *scanner) raw() {
	rest := s.rest()
	for i := 1; i < len(rest); i++ {
		if rest[i] != '`' {
			continue
		}
		if i+1 < len(rest) && rest[i+1] == '`' && i > 1 {
			i++
			continue
		}
		s.checked(tokenRaw, i+1)
		return
	}
	s.unclosed(0)
}

// checked emits a string, and reports what a file should not hold. The string is
// one all the same, so that what else is wrong with its clause is found as well.
func (s *scanner) checked(kind lexer.TokenType, length int) {
	text := s.rest()[:length]
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 || r == 0x7f || r < 0x20 && r != '\t' && (kind != tokenRaw || r != '\n' && r != '\r') {
			s.problem(strangeInString(Span{s.pos + i, s.pos + i + size}, text[i:i+size]))
			break
		}
	}
	s.emit(kind, length)
}

// unclosed takes the rest of the line, so that the next line is read as usual.
func (s *scanner) unclosed(prefix int) {
	span := s.emit(tokenBad, lineLength(s.rest()))
	s.problem(unclosedString(s.unclosedQuote(Span{span.Start + prefix, span.Start + prefix + 1})))
}

// unclosedQuote finds the quote that was meant to be closed. An odd quote shows
// only at the end of its line; if an earlier string of that line runs straight
// into a word, its quotes are the wrong way round, and it is the one.
func (s *scanner) unclosedQuote(last Span) Span {
	for i := len(s.tokens) - 2; i >= 0 && !strings.Contains(s.tokens[i].Value, "\n"); i-- {
		t := s.tokens[i]
		if t.Type == tokenString && s.tokens[i+1].Type == tokenIdent {
			last = Span{t.Pos.Offset, t.Pos.Offset + 1}
		}
	}
	return last
}

var typographic = map[rune]string{
	'“': "”", '”': "”", '„': "“”", '«': "»", '»': "«", '‘': "’", '’': "’",
}

// typographicQuote takes the quote and the text up to its partner, if that is
// near.
func (s *scanner) typographicQuote(open rune) {
	const near = 256
	rest := s.rest()
	rest = rest[:min(len(rest), near)]
	length := utf8.RuneLen(open)
	line := rest[length:lineLength(rest)]
	if end := strings.IndexAny(line, typographic[open]); end >= 0 {
		_, size := utf8.DecodeRuneInString(line[end:])
		length += end + size
	}
	s.problem(typographicQuotes(s.emit(tokenBad, length)))
}

func runLength(text string, in func(rune) bool) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(text)
}

func lineLength(text string) int {
	end := strings.IndexByte(text, '\n')
	if end < 0 {
		return len(text)
	}
	return len(strings.TrimSuffix(text[:end], "\r"))
}

// numberLength takes digits and whatever hangs on to them, so that a number
// with a wrong unit is one token and one error. A range (1..3) ends a number.
func numberLength(text string) int {
	i := 0
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		dot := r == '.' && !strings.HasPrefix(text[i:], "..")
		if !dot && !isIdentRune(r) {
			break
		}
		i += size
	}
	return i
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isIdentRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
