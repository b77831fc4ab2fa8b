package lang

import (
	"testing"
)

func TestFormat(t *testing.T) {
	golden(t, "format", func(t *testing.T, src *Source) string {
		canonical := formatted(t, src, Canonical)
		oneLine := formatted(t, src, OneLine)
		return canonical + "\n-- as one line\n" + oneLine
	})
}

func TestFormatRefusesErrors(t *testing.T) {
	text, ds := Format(&Source{Name: "a.flow", Text: `from nats "a`}, Canonical)
	if text != "" || !ds.HasErrors() {
		t.Errorf("got %q, %v", text, ds)
	}
}

// formatted formats a valid program and checks that its meaning stays and that
// formatting again changes nothing.
func formatted(t *testing.T, src *Source, style Style) string {
	t.Helper()
	before, _ := Parse(src)
	text, ds := Format(src, style)
	if ds.HasErrors() {
		t.Fatalf("%v", ds)
	}
	again := &Source{Name: src.Name, Text: text}
	after, ds := Parse(again)
	if ds.HasErrors() {
		t.Fatalf("formatted program is broken: %v\n%s", ds, text)
	}
	if got, want := dump(after), dump(before); got != want {
		t.Errorf("the meaning changed:\n%s\nbefore\n%s\nafter\n%s", text, want, got)
	}
	if twice, _ := Format(again, style); twice != text {
		t.Errorf("formatting again changes\n%q\nto\n%q", text, twice)
	}
	return text
}
