package lang

import (
	"strings"
	"testing"
)

func parseString(t testing.TB, literal string) *String {
	t.Helper()
	src := &Source{Text: "from nats " + literal}
	file, ds := Parse(src)
	for _, c := range file.Clauses {
		return c.(*From).Sources[0].Endpoint.Subject
	}
	t.Fatalf("%s: %v", literal, ds)
	return nil
}

func TestStringSub(t *testing.T) {
	const prefix = len("from nats ")
	for _, test := range []struct{ literal, value, part, under string }{
		{`"out.<nosuch>"`, "out.<nosuch>", "<nosuch>", `<nosuch>`},
		{`"é\t<a>"`, "é\t<a>", "<a>", `<a>`},
		{`"a\tb"`, "a\tb", "\t", `\t`},
		{`"\u65e5x"`, "日x", "日", `\u65e5`},
		{`"\u65e5x"`, "日x", "x", `x`},
		{`"\xe6\x97\xa5x"`, "日x", "x", `x`},
		{"`a``b`", "a`b", "`", "``"},
		{"`a``b`", "a`b", "b", "b"},
		{`"abc"`, "abc", "abc", `abc`},
	} {
		s := parseString(t, test.literal)
		if s.Value != test.value {
			t.Errorf("%s: value %q", test.literal, s.Value)
		}
		at := strings.Index(s.Value, test.part)
		span := s.Sub(at, at+len(test.part))
		if got := test.literal[span.Start-prefix : span.End-prefix]; got != test.under {
			t.Errorf("%s: part %q is at %q, want %q", test.literal, test.part, got, test.under)
		}
	}
}

func TestStringSubAtTheEnd(t *testing.T) {
	s := parseString(t, `"ab"`)
	if got, want := s.Sub(2, 2), (Span{s.Span().End - 1, s.Span().End - 1}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzStringSub(f *testing.F) {
	f.Add(`"a\tb\u65e5\xff"`, 1, 3)
	f.Add("`a``b`", 0, 9)
	f.Fuzz(func(t *testing.T, literal string, start, end int) {
		file, _ := Parse(&Source{Text: "from nats " + literal})
		for _, c := range file.Clauses {
			from, ok := c.(*From)
			if !ok || from.Sources[0].Endpoint.Subject == nil {
				return
			}
			s := from.Sources[0].Endpoint.Subject
			if span := s.Sub(start, end); span.Start < s.Span().Start || span.Start > span.End || span.End > s.Span().End {
				t.Errorf("%s: %v is outside of %v", literal, span, s.Span())
			}
		}
	})
}
