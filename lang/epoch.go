package lang

import (
	"fmt"
	"time"
)

// Records returns the bound on records, if the clause has one.
func (e *Epoch) Records() (int64, bool) { return e.bound(Count) }

// Wait returns the read budget, if the clause has one.
func (e *Epoch) Wait() (time.Duration, bool) {
	n, ok := e.bound(Duration)
	return time.Duration(n), ok
}

// Bytes returns the bound on size, if the clause has one.
func (e *Epoch) Bytes() (int64, bool) { return e.bound(Size) }

func (e *Epoch) bound(kind AmountKind) (int64, bool) {
	for _, q := range e.Bounds.Quantities {
		if q.Amount.Kind == kind {
			return q.Amount.Value, true
		}
	}
	return 0, false
}

const epochHelp = "the form is `epoch 1000/1s/4MiB`: at most so many records, so long, so many bytes; one left out keeps its default"

// check finds bounds that are no bounds.
func (e *Epoch) check() *Diagnostic {
	seen := map[AmountKind]*Quantity{}
	for _, q := range e.Bounds.Quantities {
		d := Diagnostic{Code: "F1021", Span: q.span, Help: epochHelp}
		first, again := seen[q.Amount.Kind]
		switch {
		case q.Amount.Kind == Fraction:
			d.Summary = fmt.Sprintf("expected a whole number of records, found %s", quote(q.Text))
		case q.Amount.Value <= 0:
			d.Summary = fmt.Sprintf("a bound of an epoch is more than zero, found %s", quote(q.Text))
		case again && q.Amount.Kind == Count:
			d.Summary = fmt.Sprintf("%s and %s are both numbers of records", quote(first.Text), quote(q.Text))
			d.Label = "only the record count has no unit"
		case again:
			d.Summary = fmt.Sprintf("%s and %s bound the same", quote(first.Text), quote(q.Text))
			d.Label = fmt.Sprintf("a second %s", q.Amount.Kind)
		default:
			seen[q.Amount.Kind] = q
			continue
		}
		return &d
	}
	return nil
}
