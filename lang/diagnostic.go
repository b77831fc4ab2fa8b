package lang

import (
	"fmt"
	"strings"
)

// Severity tells an error, which stops a program, from a warning.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
)

func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// A Diagnostic is one finding about a program. All texts are lower case and
// without a final period; a part that quotes the program stands in backquotes.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Summary  string  // one short line: what was expected and what was found
	Source   *Source // nil if the finding has no place
	Span     Span    // the smallest part of Source that is at fault
	Label    string  // beside the carets; may be empty
	Notes    []Note
	Help     string // what to do; may be empty
}

// A Note adds to a Diagnostic; with a Source it also points at a place.
type Note struct {
	Source *Source
	Span   Span
	Text   string
}

// Error gives the diagnostic on one line: place, severity, code, summary, and
// what to do. Text from the program is made harmless by [Printable].
func (d Diagnostic) Error() string {
	var b strings.Builder
	if d.Source != nil {
		at := d.Source.Position(d.Span.Start)
		fmt.Fprintf(&b, "%s:%d:%d: ", printableLine(d.Source.Name), at.Line, at.Column)
	}
	fmt.Fprintf(&b, "%s[%s]: %s", d.Severity, d.Code, printableLine(d.Summary))
	if d.Label != "" {
		fmt.Fprintf(&b, " (%s)", printableLine(d.Label))
	}
	if d.Help != "" {
		fmt.Fprintf(&b, "; %s", printableLine(d.Help))
	}
	return b.String()
}

// Diagnostics are the findings about a program, in the order of their places.
// They are an error; an empty list, or one of warnings only, must not be
// returned as one: see [Diagnostics.Err].
type Diagnostics []Diagnostic

// Error gives one line a diagnostic.
func (ds Diagnostics) Error() string {
	lines := make([]string, len(ds))
	for i, d := range ds {
		lines[i] = d.Error()
	}
	return strings.Join(lines, "\n")
}

// HasErrors tells if there is anything worse than a warning.
func (ds Diagnostics) HasErrors() bool {
	for _, d := range ds {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// Err returns the diagnostics as an error if they hold one, else nil.
func (ds Diagnostics) Err() error {
	if ds.HasErrors() {
		return ds
	}
	return nil
}
