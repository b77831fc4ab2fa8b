package lang

import (
	"cmp"
	"slices"
)

// A Code names a kind of diagnostic. Codes are stable and never reused: F1
// syntax, F2 names and types, F3 options and plan, F4 warnings, F5 run time.
type Code string

// An Explanation is the long text of a code.
type Explanation struct {
	Code  Code
	Title string
	Text  string // why, and what to do
	Bad   string // a program that gets the code; may be empty
	Good  string // the same put right; may be empty
}

// explanations are all there are: one table a range.
var explanations = slices.Concat(syntaxCodes, planCodes, runCodes)

// Explain returns the explanation of a code.
func Explain(code Code) (Explanation, bool) {
	i := slices.IndexFunc(explanations, func(e Explanation) bool { return e.Code == code })
	if i < 0 {
		return Explanation{}, false
	}
	return explanations[i], true
}

// Explanations returns every explanation, ordered by code.
func Explanations() []Explanation {
	return slices.SortedFunc(slices.Values(explanations), func(a, b Explanation) int { return cmp.Compare(a.Code, b.Code) })
}
