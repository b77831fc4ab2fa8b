package expression

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestHugeExpressions holds that an expression of any size and depth ends soon,
// in a program or in a problem.
func TestHugeExpressions(t *testing.T) {
	nested := func(open, inner, close string, times int) string {
		return strings.Repeat(open, times) + inner + strings.Repeat(close, times)
	}
	for name, text := range map[string]string{
		"parentheses":      nested("(", "1", ")", 2000),
		"open":             strings.Repeat("(", 100_000),
		"intervals":        nested("1 in 1..(", "paid", " ? 1 : 2)", 400),
		"lists":            nested("[", "1", "]", 2000),
		"records":          nested("{a:", "1", "}", 1000),
		"not":              strings.Repeat("not ", 4000) + "paid",
		"minus":            strings.Repeat("-", 4000) + "1",
		"sum":              strings.Repeat("qty+", 2400) + "1",
		"literals":         strings.Repeat("1+", 2400) + "1",
		"conditions":       strings.Repeat("paid?1:", 1200) + "1",
		"power":            strings.Repeat("1**", 2400) + "1",
		"members":          "cust" + strings.Repeat(".cust", 2400),
		"indexes":          "doc" + strings.Repeat("[0]", 1600),
		"chains in chains": nested("1<(", "qty", "?1:0)<2", 500),
		"calls":            nested("upper(", "name", ")", 1600),
		"predicates":       nested("all(scores,", "true", ")", 900),
		"elements":         "[" + strings.Repeat("1,", 2400) + "1]",
		"long text":        `"` + strings.Repeat("x", 1<<20) + `"`,
		"many words":       strings.Repeat("a ", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			checkProblems(t, text)
			if spent := time.Since(start); spent > 5*time.Second {
				t.Errorf("took %v", spent)
			}
		})
	}
}

// TestStepsAreBounded runs loops in loops that build nothing, and so meet the
// limit of steps.
func TestStepsAreBounded(t *testing.T) {
	row := `{"id":1,"name":"` + strings.Repeat("x", 1<<20) + `","scores":[` + strings.Repeat("1,", 999) + `1]}`
	for _, text := range []string{
		`all(scores, all(scores, all(scores, # > 0)))`,
		`all(scores, all(scores, not (name contains "y")))`,
		`all(scores, not (name matches "(.*)(.*)(.*)b"))`,
		`repeat(name, 50) matches "(.*)(.*)(.*)b"`,
		`all(scores, all(scores, not ("x" matches name[0:100] + "y")))`,
		`all(scores, all(scores, len(name) > 0))`,
		`all(scores, all(scores, indexOf(name, "y") < 0))`,
		`all(scores, all(scores, len(split(name, "y")) > 0))`,
		`all(scores, all(scores, name[0:1] == "x"))`,
	} {
		_, err := valueOf(t, text, row)
		failure, ok := errors.AsType[*RowError](err)
		if !ok || !strings.HasPrefix(failure.Message, "row takes too long") {
			t.Errorf("%s: %v, want a row that takes too long", text, err)
		}
	}
}
