package lang

import "testing"

func TestPosition(t *testing.T) {
	const text = "\uFEFFab\r\n\tdé日x\n\xff\xffz\n"
	src := &Source{Text: text}
	for _, test := range []struct {
		offset int
		want   Position
	}{
		{0, Position{1, 1}},
		{3, Position{1, 1}},
		{4, Position{1, 2}},
		{5, Position{1, 3}}, // the end of the line
		{7, Position{2, 1}},
		{8, Position{2, 2}},  // behind the tab
		{9, Position{2, 3}},  // é
		{11, Position{2, 4}}, // 日
		{14, Position{2, 5}}, // x
		{16, Position{3, 1}},
		{18, Position{3, 3}}, // behind two bytes that are no characters
		{len(text), Position{4, 1}},
		{len(text) + 9, Position{4, 1}},
		{-1, Position{1, 1}},
	} {
		if got := src.Position(test.offset); got != test.want {
			t.Errorf("offset %d: got %v, want %v", test.offset, got, test.want)
		}
	}
	for number, want := range []string{"ab", "\tdé日x", "\xff\xffz", ""} {
		if got := src.line(number + 1); got != want {
			t.Errorf("line %d: got %q, want %q", number+1, got, want)
		}
	}
}
