package lang

import "fmt"

// The findings about the order of clauses.

func title(word string) string {
	if word == "on" {
		return "on error"
	}
	return word
}

func repeated(c, first cutClause, summary string) Diagnostic {
	return Diagnostic{
		Code: "F1041", Span: keywordSpan(c), Summary: summary, Label: "this is a second one",
		Notes: []Note{{Span: keywordSpan(first), Text: "the first is here"}},
		Help:  "keep one of them",
	}
}

func secondFrom(c, first cutClause) Diagnostic {
	return Diagnostic{
		Code: "F1041", Span: keywordSpan(c), Summary: "a flow has one `from`, and this one has no `to` yet",
		Label: "a second `from`",
		Notes: []Note{{Span: keywordSpan(first), Text: "the first is here"}},
		Help:  "for several sources write `from nats \"A\", nats \"B\"`; for several flows end each with a `to`",
	}
}

func misplaced(c, after cutClause) Diagnostic {
	d := Diagnostic{
		Code: "F1040", Span: keywordSpan(c),
		Summary: fmt.Sprintf("`%s` must come before `%s`", title(c.word), title(after.word)),
		Notes:   []Note{{Span: keywordSpan(after), Text: fmt.Sprintf("the `%s` is here", title(after.word))}},
		Help:    "the order is `from`, `schema`, `epoch`, then `where`, `select` and `drop` as often as needed, one or more `to`, `on error`",
	}
	if flowOrder[c.word] == flowOrder["where"] && after.word == "to" {
		d.Help = "rows are shaped before any `to` takes them; for a condition of one `to` write `when` behind it"
	}
	return d
}

func beforeFrom(c, from cutClause) Diagnostic {
	return Diagnostic{
		Code: "F1040", Span: keywordSpan(c), Summary: fmt.Sprintf("`%s` stands before `from`", title(c.word)),
		Label: "of which rows?",
		Notes: []Note{{Span: keywordSpan(from), Text: "the `from` is here"}},
		Help:  "a flow starts with `from`; move this clause behind it",
	}
}

func lacksFrom(head Span) Diagnostic {
	return Diagnostic{
		Code: "F1042", Span: head, Summary: "the flow has no `from`: it would read nothing",
		Help: "add a source, as in `from nats \"orders.>\"`",
	}
}

func lacksTo(f *Flow, from Span) Diagnostic {
	which := "the flow"
	if f.Name != nil {
		which = fmt.Sprintf("the flow %s", quote(f.Name.Name))
	}
	summary := which + " has no `to`: nothing would be written"
	for _, key := range f.beforeTo() {
		if _, near := Nearest(key.Name, []string{"to"}); near {
			return Diagnostic{
				Code: "F1042", Span: key.Span(), Summary: summary,
				Label: "did you mean `to`?",
			}
		}
	}
	return Diagnostic{
		Code: "F1042", Span: from, Summary: summary,
		Label: "what is read here goes nowhere",
		Help:  "add a destination, as in `to nats stream \"ORDERS_V1\" subject \"v1.<resource>\"`",
	}
}

// beforeTo are the words that read as options, and may be a misspelled `to`.
func (f *Flow) beforeTo() (keys []*Ident) {
	var options []*Option
	if f.From != nil {
		for _, s := range f.From.Sources {
			if s.Endpoint != nil {
				options = append(options, s.Endpoint.Options...)
			}
		}
	}
	if f.Epoch != nil {
		options = append(options, f.Epoch.Options...)
	}
	for _, o := range options {
		keys = append(keys, o.Key)
	}
	return keys
}

func needsName(head Span, flows int) Diagnostic {
	return Diagnostic{
		Code: "F1043", Span: head, Summary: fmt.Sprintf("each of the %d flows of the file needs a name", flows),
		Label: "this one has none",
		Help:  "write `flow NAME` before its `from`",
	}
}
