package lang

import (
	"fmt"
	"regexp"
)

// A checker is a clause with rules that the grammar cannot say.
type checker interface{ check() *Diagnostic }

// LanguageVersion is the version of the language that this package parses.
const LanguageVersion = 1

func (l *Language) check() *Diagnostic {
	a := l.Version.Amount
	if a.Kind == Count && a.Value == LanguageVersion {
		return nil
	}
	return &Diagnostic{
		Code: "F1045", Span: l.Version.span,
		Summary: fmt.Sprintf("expected language version %d, found %s", LanguageVersion, quote(l.Version.Text)),
		Help:    "this program knows `language 1`; a newer one may know more",
	}
}

var flowNamePattern = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func (f *FlowName) check() *Diagnostic {
	span := f.Name.Span()
	apart := span.End-span.Start != len(f.Name.Name) // white space between the parts
	if flowNamePattern.MatchString(f.Name.Name) && !apart {
		return nil
	}
	return &Diagnostic{
		Code: "F1044", Span: span,
		Summary: "a flow's name has letters A to Z, digits, `_` and `-` only",
		Help:    "it becomes a part of subjects and consumer names, as in `flow orders-eu`",
	}
}

func (s *Schema) check() *Diagnostic {
	if s.Name != nil || s.Record != nil {
		return nil
	}
	return &Diagnostic{
		Code: "F1001", Span: s.Span(), Summary: "a schema needs a name, columns, or both",
		Help: "define one with `schema order { id: string, ... }`, use it in a flow with `schema order`",
	}
}

func (o *OnError) check() *Diagnostic {
	if o.Retry != nil || o.Action != nil {
		return nil
	}
	return &Diagnostic{
		Code: "F1001", Span: o.Span(), Summary: "`on error` does not say what to do",
		Help: "the form is " + quoteShape("on"),
	}
}
