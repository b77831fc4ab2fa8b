package lang

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// The findings of the scanner. Their Source is filled in by [Parse].

func strangeCharacter(span Span, raw string) Diagnostic {
	d := Diagnostic{Code: "F1008", Span: span, Label: "this cannot stand here"}
	r, size := utf8.DecodeRuneInString(raw)
	if r == utf8.RuneError && size <= 1 {
		d.Summary = fmt.Sprintf("expected UTF-8 text, found the byte 0x%02X", raw[0])
		d.Help = "save the file as UTF-8"
		return d
	}
	d.Summary = fmt.Sprintf("unexpected character `%s` (U+%04X)", printableLine(raw), r)
	d.Help = "remove it, or put it into a string if it is text"
	return d
}

func strangeInString(span Span, raw string) Diagnostic {
	d := Diagnostic{Code: "F1007", Span: span, Summary: "a string holds a control character"}
	r, size := utf8.DecodeRuneInString(raw)
	if r == utf8.RuneError && size <= 1 {
		d.Summary = fmt.Sprintf("a string holds the byte 0x%02X, which is not UTF-8", raw[0])
		d.Help = "save the file as UTF-8"
		return d
	}
	d.Help = fmt.Sprintf("write it as `\\x%02x` in double quotes if it is meant", r)
	return d
}

func unclosedString(quote Span) Diagnostic {
	return Diagnostic{
		Code: "F1005", Span: quote, Summary: "a string is not closed on its line",
		Label: "opened here", Help: "add the closing quote; a quote inside a string is written `\\\"`",
	}
}

func typographicQuotes(span Span) Diagnostic {
	return Diagnostic{
		Code: "F1006", Span: span, Summary: "expected a plain quote, found a typographic one",
		Help: "write `\"`; word processors and chat programs replace it",
	}
}

func hashComment(span Span) Diagnostic {
	return Diagnostic{
		Code: "F1011", Span: span, Summary: "`#` does not start a comment",
		Help: "comments are `// to the end of the line` and `/* between */`; `#` stands for an element inside `filter(...)` and its like",
	}
}

func unclosedComment(span Span) Diagnostic {
	return Diagnostic{
		Code: "F1011", Span: span, Summary: "a comment is not closed before the end of the file",
		Label: "opened here", Help: "add `*/` where the comment ends",
	}
}

func unclosedBracket(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1009", Span: tokenSpan(t), Summary: fmt.Sprintf("`%s` is not closed", t.Value),
		Label: fmt.Sprintf("no `%s` belongs to this", closing[t.Value]),
		Help:  fmt.Sprintf("add the `%s`, or remove the `%s`", closing[t.Value], t.Value),
	}
}

func unopenedBracket(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1009", Span: tokenSpan(t), Summary: fmt.Sprintf("`%s` closes nothing", t.Value),
		Help: "remove it, or add the opening bracket before it",
	}
}

func nestedTooDeep(t lexer.Token) Diagnostic {
	return Diagnostic{
		Code: "F1010", Span: tokenSpan(t), Summary: fmt.Sprintf("brackets nest deeper than %d", MaxDepth),
		Label: "one too many", Help: "split the expression or the type into simpler parts",
	}
}

func utf16File() Diagnostic {
	return Diagnostic{
		Code: "F1046", Span: Span{0, 2}, Summary: "expected UTF-8 text, found UTF-16",
		Help: "save the file as UTF-8",
	}
}

// quote shows a piece of program in a message: one line, not too long.
func quote(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return "`" + text + "`"
}
