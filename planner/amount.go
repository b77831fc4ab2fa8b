package planner

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

var amountKinds = map[connectors.Type]lang.AmountKind{
	connectors.Count: lang.Count, connectors.Duration: lang.Duration, connectors.Size: lang.Size,
}

// amountValue reads a count, a duration or a size.
func (c *compiler) amountValue(f connectors.Field, v *lang.Value) (any, bool) {
	if v.Bounds == nil || len(v.Bounds.Quantities) != 1 || v.Bounds.Quantities[0].Amount.Kind != amountKinds[f.Type] {
		return c.wrongValue(f, v)
	}
	q := v.Bounds.Quantities[0]
	if !f.Allows(q.Amount.Value) {
		return c.outOfRange(f, q)
	}
	if f.Type == connectors.Duration {
		return q.Amount.Duration(), true
	}
	return q.Amount.Value, true
}

func (c *compiler) outOfRange(f connectors.Field, q *lang.Quantity) (any, bool) {
	c.errorf(codeOptionRange, q.Span(), "`%s` is %s, found `%s`", f.Key, f.Range(), q.Text)
	return nil, false
}

// windowValue reads messages, bytes or both; what is left out keeps its default.
func (c *compiler) windowValue(f connectors.Field, v *lang.Value) (any, bool) {
	if v.Bounds == nil {
		return c.wrongValue(f, v)
	}
	limits, _ := f.Default.(connectors.Limits)
	seen := map[lang.AmountKind]bool{}
	for _, q := range v.Bounds.Quantities {
		kind, n := q.Amount.Kind, q.Amount.Value
		if seen[kind] || kind != lang.Count && kind != lang.Size {
			return c.wrongValue(f, v)
		}
		seen[kind] = true
		if kind == lang.Count {
			if !f.Allows(n) {
				return c.outOfRange(f, q)
			}
			limits.Messages = n
			continue
		}
		if n < 1 || n > f.MaxBytes {
			c.errorf(codeOptionRange, q.Span(), "the bytes of `%s` are 1 B to %s, found `%s`", f.Key, connectors.FormatSize(f.MaxBytes), q.Text)
			return nil, false
		}
		limits.Bytes = n
	}
	return limits, true
}

// FormatSetting writes a setting's value as a flow would; ok is false for a type
// that has no such form.
func FormatSetting(v any) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case time.Duration:
		return connectors.ShortDuration(v), true
	case []string:
		return "[" + strings.Join(v, ", ") + "]", true
	case connectors.Template:
		return v.Canonical(), true
	case connectors.Limits:
		return fmt.Sprintf("%d/%s", v.Messages, strings.ReplaceAll(connectors.FormatSize(v.Bytes), " ", "")), true
	case connectors.Start:
		return v.String(), true
	case connectors.Secret:
		return v.String(), true
	}
	return "", false
}
