package expression

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// ProblemKind says what sort of mistake a Problem reports, so that a caller
// can choose its own code for it.
type ProblemKind int

const (
	// Syntax: the text is not an expression, or uses a form that is refused.
	Syntax ProblemKind = iota
	// UnknownName: a column, member, parameter or function that does not exist.
	UnknownName
	// Mistyped: an operator or function over a type that it does not take.
	Mistyped
	// BadValue: a literal that cannot be used, such as a bad regular expression.
	BadValue
	// Suspicious: legal, but probably not what was meant. Always a warning.
	Suspicious
)

// String returns the kind as a short word.
func (k ProblemKind) String() string {
	return [...]string{"syntax", "unknown name", "type", "value", "suspicious"}[k]
}

// Problem is one mistake in an expression.
type Problem struct {
	Start, End int // bytes in the expression's text; equal for a missing piece
	Kind       ProblemKind
	Message    string // one line: what was expected and found
	Label      string // a few words to stand at the carets; may be empty
	Help       string // what to do; may be empty
	Suggestion string // text that could replace the range; may be empty
	Warning    bool   // the expression compiles nevertheless
}

// oneLine makes what quotes an expression or data fit for a message.
func oneLine(message string) string {
	const longest = 300
	message = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, message)
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "") + "..."
	}
	return message
}

// failed reports whether any problem is more than a warning.
func failed(problems []Problem) bool {
	return slices.ContainsFunc(problems, func(p Problem) bool { return !p.Warning })
}

// ordered sorts problems by position and drops repetitions, which occur where
// the tree shares a node, as in 1 < x < 3.
func ordered(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return slices.Compact(problems)
}
