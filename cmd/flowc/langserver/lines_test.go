package langserver

import (
	"testing"
	"unicode/utf8"
)

func TestPositions(t *testing.T) {
	for _, test := range []struct {
		text   string
		offset int
		want   position
	}{
		{"", 0, position{0, 0}},
		{"abc", 2, position{0, 2}},
		{"abc", 3, position{0, 3}},
		{"a\nb", 2, position{1, 0}},
		{"a\r\nb", 3, position{1, 0}},
		{"a\rb", 2, position{1, 0}},
		{"a\n", 2, position{1, 0}},
		{"a\r\n\r\nb", 5, position{2, 0}},
		{"\tb", 1, position{0, 1}},
		{"é=", 2, position{0, 1}},
		{"★=", 3, position{0, 1}},
		{"𝕏=", 4, position{0, 2}},
		{"é★𝕏😀x", 13, position{0, 6}},
		{"\uFEFFfrom", 3, position{0, 1}},
		{"e\u0301x", 3, position{0, 2}},
		{"\xff\xfex", 2, position{0, 2}},
	} {
		l := newLines(test.text)
		if got := l.position(test.offset); got != test.want {
			t.Errorf("%q at %d: expected %v, found %v", test.text, test.offset, test.want, got)
		}
		if got := l.offset(test.want); got != test.offset {
			t.Errorf("%q at %v: expected %d, found %d", test.text, test.want, test.offset, got)
		}
	}
}

func TestPositionsOutside(t *testing.T) {
	l := newLines("ab\r\n𝕏c\n")
	for _, test := range []struct {
		at   position
		want int
	}{
		{position{-1, 5}, 0},
		{position{0, -1}, 0},
		{position{0, 99}, 2},
		{position{1, 1}, 4}, // within the surrogate pair
		{position{1, 99}, 9},
		{position{2, 0}, 10},
		{position{99, 0}, 10},
	} {
		if got := l.offset(test.at); got != test.want {
			t.Errorf("%v: expected %d, found %d", test.at, test.want, got)
		}
	}
	if got := l.position(-1); got != (position{0, 0}) {
		t.Errorf("before the text: found %v", got)
	}
	if got := l.position(99); got != (position{2, 0}) {
		t.Errorf("behind the text: found %v", got)
	}
}

// FuzzPositions checks that the start of every character has a position of its
// own, from which it is found again.
func FuzzPositions(f *testing.F) {
	f.Add("a\r\n𝕏\rb\n\tc")
	f.Add("\xff\xfe\uFEFF")
	f.Fuzz(func(t *testing.T, text string) {
		l := newLines(text)
		for i := 0; i < len(text); {
			r, size := utf8.DecodeRuneInString(text[i:])
			if p := l.position(i); r != '\n' && r != '\r' && l.offset(p) != i {
				t.Fatalf("%q: offset %d is %v, and that is offset %d", text, i, p, l.offset(p))
			}
			i += size
		}
	})
}
