package lang

import (
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"plain ünïcode 日本 🙂", "plain ünïcode 日本 🙂"},
		{"line\n\ttab", "line\n\ttab"},
		{"\x1b[31mred", `\x1b[31mred`},
		{"\x1b]52;c;ZXZpbA==\x07", `\x1b]52;c;ZXZpbA==\x07`},
		{"ok\rFAKE", `ok\rFAKE`},
		{"x\b\by", `x\x08\x08y`},
		{"\x7f\x00", `\x7f\x00`},
		{"\u009b31m", `\u009b31m`},
		{"a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"zero\u200bwidth\ufeff", `zero\u200bwidth\ufeff`},
		{"a\xffb\xc3", `a\xffb\xc3`},
		{"\uFFFD", "\uFFFD"},
	} {
		if got := Printable(test.in); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
	if got := printableLine("a\n\tb"); got != `a\n\tb` {
		t.Errorf("one line: %q", got)
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[2J\u009b\xff\u202e\r\n\t")
	f.Fuzz(func(t *testing.T, s string) {
		got := Printable(s)
		if !utf8.ValidString(got) || Printable(got) != got {
			t.Errorf("%q: got %q", s, got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Errorf("%q: %U is left", s, r)
			}
		}
	})
}
