package expression

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

func syntaxAt(at span, message, help string) *Problem {
	return &Problem{Start: at.start, End: at.end, Kind: Syntax, Message: oneLine(message), Help: oneLine(help)}
}

// lexicalProblem puts an error of expr's lexer into our words.
func lexicalProblem(src *source, err *file.Error) *Problem {
	at := src.bytes(err.Location)
	switch {
	case strings.HasPrefix(err.Message, "unrecognized character"):
		help := ""
		if strings.ContainsAny(src.slice(at), "“”„‘’«»") {
			help = "text is written between straight quotes"
		}
		return syntaxAt(at, fmt.Sprintf("unexpected character %q", src.slice(at)), help)
	case strings.HasPrefix(err.Message, "literal not terminated"):
		return syntaxAt(src.unlexed(at), "text is never closed: expected a quote like the one it starts with", "")
	case strings.HasPrefix(err.Message, "bad number"):
		return syntaxAt(src.unlexed(at), "malformed number", "digits may be followed by no letter: `5s` is not a number, \"5s\" is text")
	case strings.HasPrefix(err.Message, "unclosed comment"):
		return syntaxAt(src.unlexed(at), "comment is never closed: expected `*/`", "")
	}
	return syntaxAt(src.unlexed(at), "malformed escape in text", `write \\ for a backslash, or put the text between backquotes`)
}

// unlexed returns the first word that the lexer could not finish, up to at.
func (s *source) unlexed(at span) span {
	start := 0
	if n := len(s.tokens); n > 0 {
		start = s.bytes(s.tokens[n-1].Location).end
	}
	rest := s.text[start:]
	start += len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	return span{min(start, at.end), at.end}
}

// checkTokens finds the mistakes that expr's parser would report in another
// place than where they are, and the forms that this language refuses.
func checkTokens(src *source) *Problem {
	if len(src.tokens) == 0 {
		return syntaxAt(span{0, len(src.text)}, "expected an expression, found nothing", "")
	}
	var brackets []lexer.Token
	for i, token := range src.tokens {
		if problem := checkToken(src, i); problem != nil {
			return problem
		}
		switch depth(token) {
		case 1:
			brackets = append(brackets, token)
		case -1:
			if len(brackets) == 0 {
				return syntaxAt(src.bytes(token.Location), fmt.Sprintf("`%s` closes nothing", token.Value), "")
			}
			open := brackets[len(brackets)-1]
			if want := closing[open.Value]; want != token.Value {
				return syntaxAt(src.bytes(token.Location), fmt.Sprintf("expected `%s`, found `%s`", want, token.Value),
					fmt.Sprintf("the last bracket opened is `%s`", open.Value))
			}
			brackets = brackets[:len(brackets)-1]
		}
	}
	if len(brackets) > 0 {
		open := brackets[len(brackets)-1]
		return syntaxAt(src.bytes(open.Location), fmt.Sprintf("`%s` is never closed: expected `%s`", open.Value, closing[open.Value]), "")
	}
	return nil
}

var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

func checkToken(src *source, i int) *Problem {
	token := src.tokens[i]
	at := src.bytes(token.Location)
	afterDot := i > 0 && src.tokens[i-1].Is(lexer.Operator, ".", "?.")
	switch {
	case token.Kind == lexer.Number:
		return checkNumber(token, at)
	case token.Kind != lexer.Operator || afterDot:
		return nil
	}
	switch token.Value {
	case "let":
		return syntaxAt(at, "`let` is not available", "write the value where it is used, or compute it as a column in an earlier `select`")
	case "if", "else":
		return syntaxAt(at, fmt.Sprintf("`%s` is not available", token.Value), "write `condition ? value : other`")
	case ";":
		return syntaxAt(at, "`;` is not available: an expression has one value", "join conditions with `and`")
	case "=":
		if i > 0 && src.tokens[i-1].Is(lexer.Operator, "==", "!=") {
			foreign := src.tokens[i-1].Value + "="
			return syntaxAt(at, fmt.Sprintf("unexpected `=`: there is no operator `%s`", foreign), foreignOperators[foreign])
		}
		if i+1 < len(src.tokens) && src.tokens[i+1].Is(lexer.Operator, ">") && src.bytes(src.tokens[i+1].Location).start == at.end {
			return syntaxAt(span{at.start, at.end + 1}, "unexpected `=>`: there is no operator `=>`",
				"write `>=` to compare, `#` for an element: `filter(list, # > 1)`")
		}
		p := syntaxAt(at, "unexpected `=`", "write `==` to compare")
		p.Suggestion = "=="
		return p
	case "&":
		p := syntaxAt(at, "unexpected `&`", "write `and` for conditions, `bitand(a, b)` for bits")
		p.Suggestion = "and"
		return p
	}
	return nil
}

func checkNumber(token lexer.Token, at span) *Problem {
	text := strings.ReplaceAll(strings.ToLower(token.Value), "_", "")
	base := 10
	for prefix, b := range map[string]int{"0x": 16, "0b": 2, "0o": 8} {
		if strings.HasPrefix(text, prefix) {
			base, text = b, text[2:]
		}
	}
	var err error
	if base == 10 && strings.ContainsAny(text, ".e") {
		_, err = strconv.ParseFloat(text, 64)
	} else {
		_, err = strconv.ParseInt(text, base, 64)
	}
	problem := syntaxAt(at, "malformed number", "")
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange) && base == 10 && strings.ContainsAny(text, ".e"):
		problem = syntaxAt(at, "number is out of range of a float", "")
		problem.Kind = BadValue
	case errors.Is(err, strconv.ErrRange):
		problem = syntaxAt(at, "integer is out of range: the largest is 9223372036854775807",
			"write it with a decimal point to compare with a float")
		problem.Kind = BadValue
	}
	return problem
}

// syntaxProblem puts an error of expr's parser into our words, at the token
// where it happened.
func syntaxProblem(src *source, err error) *Problem {
	parse, ok := errors.AsType[*file.Error](err)
	if !ok {
		return syntaxAt(src.whole(), err.Error(), "")
	}
	at := src.bytes(parse.Location)
	i := src.tokenAt(at)
	last := len(src.tokens) - 1
	switch {
	case strings.HasPrefix(parse.Message, "unexpected token EOF"), // located at the last character
		parse.Message == "expected name" && i == last && src.tokens[last].Is(lexer.Operator, ".", "?."):
		return endProblem(src)
	case strings.Contains(parse.Message, "maximum allowed nodes"):
		return syntaxAt(src.whole(), "expression is too large", "")
	case strings.Contains(parse.Message, "cannot be mixed"):
		return syntaxAt(at, fmt.Sprintf("`??` and `%s` need parentheses", src.slice(at)), "write `(a ?? b) "+src.slice(at)+" c`")
	case strings.HasPrefix(parse.Message, "a map key"):
		return syntaxAt(at, "expected a record's member: a name, text, or an expression in parentheses", "")
	case strings.HasPrefix(parse.Message, "expected at least"):
		return syntaxAt(at, "expected another argument, found `)`", "")
	case i < 0:
		return endProblem(src)
	}
	return unexpectedProblem(src, i)
}

// tokenAt returns the index of the token that starts at the range, or -1 for
// the end of the text.
func (s *source) tokenAt(at span) int {
	for i, token := range s.tokens {
		if s.bytes(token.Location) == at {
			return i
		}
	}
	return -1
}

// endProblem reports a text that ends where an operand should follow.
func endProblem(src *source) *Problem {
	last := src.tokens[len(src.tokens)-1]
	at := src.bytes(last.Location)
	help := ""
	if n := len(src.tokens); n < 2 || !endsOperand(src.tokens[n-2]) {
		help = quoteHelp(last.Value)
	}
	switch {
	case isWordOperator(last):
		return syntaxAt(at, fmt.Sprintf("expected an operand after the operator `%s`, found the end", last.Value), help)
	case last.Is(lexer.Operator, ".", "?."):
		return syntaxAt(at, fmt.Sprintf("expected a member's name after `%s`, found the end", last.Value), "")
	}
	if endsOperand(last) && lacksColon(src, len(src.tokens)) {
		return colonProblem(span{at.end, at.end}, "the end")
	}
	return syntaxAt(span{at.end, at.end}, "expected an operand, found the end", "")
}

func unexpectedProblem(src *source, i int) *Problem {
	token := src.tokens[i]
	at := src.bytes(token.Location)
	switch {
	case isTextOperator(token.Value) && i+1 < len(src.tokens) && src.tokens[i+1].Is(lexer.Bracket, "("):
		return syntaxAt(at, fmt.Sprintf("`%s` is an operator, not a function", token.Value), fmt.Sprintf("write `text %s \"a\"`", token.Value))
	case isWordOperator(token):
		return syntaxAt(at, fmt.Sprintf("expected an operand, found the operator `%s`", token.Value), quoteHelp(token.Value))
	case token.Is(lexer.Operator, "#"):
		return syntaxAt(at, "`#` is an element of a list: only within `any(list, # > 1)` and the like", "a comment starts with `//`")
	case i > 0 && foreignOperators[src.tokens[i-1].Value+token.Value] != "":
		foreign := src.tokens[i-1].Value + token.Value
		return syntaxAt(at, fmt.Sprintf("unexpected `%s`: there is no operator `%s`", token.Value, foreign), foreignOperators[foreign])
	case i > 0 && endsOperand(src.tokens[i-1]) && !startsOperand(token) && lacksColon(src, i):
		return colonProblem(at, "`"+src.slice(at)+"`")
	case i > 1 && token.Is(lexer.Operator, ":") && src.tokens[i-2].Is(lexer.Bracket, "{"):
		return syntaxAt(at, "unexpected `:`",
			fmt.Sprintf("a record in a predicate needs braces of its own: `{{%s: ...}}`", src.slice(src.bytes(src.tokens[i-1].Location))))
	case i > 0 && endsOperand(src.tokens[i-1]) && startsOperand(token):
		return syntaxAt(at, fmt.Sprintf("expected an operator, found `%s`", src.slice(at)), "")
	}
	return syntaxAt(at, fmt.Sprintf("unexpected `%s`", src.slice(at)), "")
}

func colonProblem(at span, found string) *Problem {
	return syntaxAt(at, "expected `:` and the other value of `?`, found "+found, "write `condition ? value : other`")
}

// lacksColon reports whether a `?` before token i, within the same brackets,
// has no `:`.
func lacksColon(src *source, i int) bool {
	level, colons := 0, 0
	for i--; i >= 0 && level >= 0; i-- {
		token := src.tokens[i]
		level -= depth(token)
		switch {
		case level != 0:
		case token.Is(lexer.Operator, ":"):
			colons++
		case token.Is(lexer.Operator, "?"):
			if colons--; colons < 0 {
				return true
			}
		}
	}
	return false
}

// foreignOperators of other languages come as two tokens.
var foreignOperators = map[string]string{
	"<>":  "write `!=`",
	">>":  "write `bitshr(a, b)`, or `>` to compare",
	"<<":  "write `bitshl(a, b)`, or `<` to compare",
	"===": "write `==`",
	"!==": "write `!=`",
	"=>":  "write `>=`",
	"=<":  "write `<=`",
}

func isWordOperator(token lexer.Token) bool {
	return token.Kind == lexer.Operator && token.Value[0] >= 'a' && token.Value[0] <= 'z'
}

func quoteHelp(word string) string {
	return fmt.Sprintf("a column called `%s` is written `$env[%q]`", word, word)
}

func endsOperand(token lexer.Token) bool {
	return token.Kind == lexer.Identifier || token.Kind == lexer.Number || token.Kind == lexer.String ||
		token.Kind == lexer.Bytes || token.Is(lexer.Operator, "#") || depth(token) == -1
}

func startsOperand(token lexer.Token) bool {
	return token.Kind != lexer.Operator && depth(token) != -1
}
