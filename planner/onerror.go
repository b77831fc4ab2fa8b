package planner

import (
	"math"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// defaultRetry goes on for ever.
var defaultRetry = Retry{Min: 200 * time.Millisecond, Max: 30 * time.Second}

func (c *compiler) onError(f *Flow, parsed *lang.OnError) {
	f.Retry = defaultRetry
	if parsed == nil {
		return
	}
	switch a := parsed.Action; {
	case a == nil || a.Stop:
	case a.Skip:
		f.BadRow = SkipBadRows
	default:
		f.BadRow = KeepBadRows
		c.deadLetter(f, a.DeadLetter)
	}
	if parsed.Retry != nil {
		f.Retry = c.retry(parsed.Retry)
	}
}

func (c *compiler) deadLetter(f *Flow, e *lang.Endpoint) {
	conn := c.endpoint(e)
	if conn == nil {
		return
	}
	if e.Subject != nil || e.List != nil {
		c.report(lang.Diagnostic{Code: codeSink, Span: e.Span(), Summary: "dead letters say their subject by name", Help: "write `dead letter to nats subject \"dead.<resource>\"`"})
		return
	}
	dead := &DeadLetter{Connection: conn, places: places{file: c.source, span: e.Name.Span()}}
	before := len(c.findings)
	dead.Spec = connectors.DeadLetterSpec{Connection: conn.Name, Resources: f.Resources(), Selects: f.selects()}
	dead.Spec.Settings = c.settings(conn.Kind.DeadLetter, e.Options, &dead.places, "a dead letter", nil)
	c.holes(f, nil, conn.Kind.DeadLetter, e.Options, dead.Spec.Settings)
	if c.findings[before:].HasErrors() {
		return
	}
	f.Dead = dead
}

func (c *compiler) retry(parsed *lang.Retry) Retry {
	r := defaultRetry
	if q := parsed.Times; q.Amount.Kind != lang.Count || q.Amount.Value < 1 || q.Amount.Value > math.MaxInt32 {
		c.errorf(codeRetry, q.Span(), "expected a number of tries from 1 to %d, found `%s`", math.MaxInt32, q.Text)
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
			c.errorf(codeRetry, bound.q.Span(), "expected a duration longer than zero for `backoff`, found `%s`", bound.q.Text)
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
