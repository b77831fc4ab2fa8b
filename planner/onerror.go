package planner

import (
	"math"
	"time"

	"github.com/flowlang/flow/lang"
)

// defaultRetry goes on for ever.
var defaultRetry = Retry{Min: 200 * time.Millisecond, Max: 30 * time.Second}

func (c *compiler) onError(f *Flow, parsed *lang.OnError) {
	f.Retry = defaultRetry
	if parsed == nil {
		return
	}
	if a := parsed.Action; a != nil && !a.Stop {
		c.notYet(a.Span(), "`skip` and `dead letter`", "leave it out: a bad row then stops the flow, and nothing of its epoch is certified")
	}
	if parsed.Retry != nil {
		f.Retry = c.retry(parsed.Retry)
	}
}

func (c *compiler) retry(parsed *lang.Retry) Retry {
	r := defaultRetry
	if q := parsed.Times; q.Amount.Kind != lang.Count || q.Amount.Value < 1 || q.Amount.Value > math.MaxInt32 {
		c.errorf(codeRetry, q.Span(), "expected a number of tries, at least 1, found `%s`", q.Text)
	} else {
		r.Times = int(q.Amount.Value)
	}
	for _, bound := range []struct {
		q  *lang.Quantity
		to *time.Duration
	}{{parsed.Min, &r.Min}, {parsed.Max, &r.Max}} {
		if bound.q == nil {
			continue
		}
		if bound.q.Amount.Kind != lang.Duration || bound.q.Amount.Value <= 0 {
			c.errorf(codeRetry, bound.q.Span(), "expected a duration for `backoff`, found `%s`", bound.q.Text)
			continue
		}
		*bound.to = bound.q.Amount.Duration()
	}
	if parsed.Min != nil && parsed.Max == nil {
		r.Max = max(r.Min, r.Max)
	}
	if r.Max < r.Min {
		c.errorf(codeRetry, parsed.Max.Span(), "the longest `backoff` is shorter than the first one")
	}
	return r
}
