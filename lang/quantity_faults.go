package lang

import "fmt"

// An amountFault is what is wrong with a quantity, before its place is known.
type amountFault struct{ summary, label, help string }

func (f *amountFault) at(q *Quantity) Diagnostic {
	return Diagnostic{
		Code: "F1020", Span: q.span,
		Summary: fmt.Sprintf("%s in %s", f.summary, quote(q.Text)),
		Label:   f.label, Help: f.help,
	}
}

const unitHelp = "durations are written with `ns us ms s m h d`, sizes with `B kB MB KiB MiB GiB`, as in `1m30s` and `16MiB`"

func spaceBeforeUnit(span Span, joined string) Diagnostic {
	return Diagnostic{
		Code: "F1020", Span: span, Summary: "a space between a number and its unit",
		Help: fmt.Sprintf("write %s", quote(joined)),
	}
}

func unknownUnit(number, name string) *amountFault {
	f := &amountFault{summary: fmt.Sprintf("unknown unit %s", quote(name)), help: unitHelp}
	if meant, ok := meantUnit(name); ok {
		f.label = fmt.Sprintf("did you mean `%s%s`?", number, meant)
		return f
	}
	switch {
	case name == "e" || name == "E":
		f.summary, f.help = "an exponent", "write the number out, as in `1000`"
	case name == "_":
		f.summary, f.help = "an underscore", "write the digits without it"
	case name == "TiB" || name == "PiB" || name == "EiB" || name == "GB" || name == "TB":
		f.label = "the largest unit is `GiB`"
	}
	return f
}

func unitMissing(number string) *amountFault {
	return &amountFault{summary: fmt.Sprintf("no unit after `%s`", number), help: unitHelp}
}

func unitTwice(name string) *amountFault {
	return &amountFault{summary: fmt.Sprintf("the unit `%s` twice", name), help: "add the two up"}
}

func mixedUnits() *amountFault {
	return &amountFault{summary: "a time and a size", help: "write them as two bounds, as in `1s/16MiB`"}
}

func badNumber(number string) *amountFault {
	return &amountFault{summary: fmt.Sprintf("a number that cannot be read, `%s`,", number), help: "write digits, with at most one point between them"}
}

func notWhole(kind AmountKind) *amountFault {
	what := "bytes"
	if kind == Duration {
		what = "nanoseconds"
	}
	return &amountFault{summary: "a fraction of the smallest unit", help: fmt.Sprintf("write it so that it is a whole number of %s", what)}
}

func tooLarge() *amountFault {
	return &amountFault{
		summary: "a number that is too large",
		label:   "at most 9223372036854775807, in nanoseconds or bytes too",
		help:    "the longest duration is about 292 years (`106751d`), the largest size about `8589934591GiB`",
	}
}
