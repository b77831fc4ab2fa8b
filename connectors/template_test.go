package connectors

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func holeNames(t Template) []string {
	var names []string
	for _, p := range t.Holes() {
		names = append(names, p.Hole)
	}
	return names
}

func TestParseTemplate(t *testing.T) {
	for _, c := range []struct {
		text  string
		holes []string
	}{
		{"", nil},
		{"orders.v1", nil},
		{"<resource>.v1", []string{"resource"}},
		{"{resource}.v1", []string{"resource"}},
		{"{{resource}}.v1", []string{"resource"}},
		{"a.<1>.<2>", []string{"1", "2"}},
		{"<param.env>.<resource>", []string{"param.env", "resource"}},
		{"<country><city>", []string{"country", "city"}},
		{"orders.>", nil},
		{"orders.<", nil},
		{"<>", nil},
		{"<a<b>", []string{"b"}},
		{"a>b<c>", []string{"c"}},
		{"{other}", nil},
		{"{resource", nil},
		{"<with space>", []string{"with space"}},
		{"<größe>", []string{"größe"}},
	} {
		got := ParseTemplate(c.text)
		if names := holeNames(got); !slices.Equal(names, c.holes) {
			t.Errorf("%q: expected the holes %q, found %q", c.text, c.holes, names)
		}
		if got.Constant() != (len(c.holes) == 0) {
			t.Errorf("%q: Constant is %v", c.text, got.Constant())
		}
	}
}

func TestTemplateFill(t *testing.T) {
	values := map[string]string{"resource": "orders", "a": "<b>", "empty": ""}
	lookup := func(hole string) (string, bool) { v, ok := values[hole]; return v, ok }
	for _, c := range []struct {
		text, want string
		left       []string
	}{
		{"<resource>.v1", "orders.v1", nil},
		{"{{resource}}.{resource}", "orders.orders", nil},
		{"x.<subject>.<resource>", "x.<subject>.orders", []string{"subject"}},
		{"<a>.<b>", "<b>.<b>", []string{"b"}}, // only the second is a hole: a value brings none
		{"x<empty>y", "xy", nil},
	} {
		got := ParseTemplate(c.text).Fill(lookup)
		if got.Text != c.want || !slices.Equal(holeNames(got), c.left) {
			t.Errorf("%q: expected %q with the holes %q left, found %q with %q", c.text, c.want, c.left, got.Text, holeNames(got))
		}
		checkParts(t, got)
	}
}

func TestTemplateAppend(t *testing.T) {
	got := ParseTemplate("a.<x>.<y>").Append([]byte("> "), func(dst []byte, hole string) []byte {
		return append(dst, strings.ToUpper(hole)...)
	})
	if string(got) != "> a.X.Y" {
		t.Errorf("expected the holes filled behind what was there, found %q", got)
	}
}

// checkParts checks that the parts are the text, piece by piece.
func checkParts(t *testing.T, template Template) {
	t.Helper()
	at := 0
	for _, p := range template.Parts {
		if p.Start != at || p.End < p.Start || p.End > len(template.Text) {
			t.Fatalf("%q: part %+v does not begin at %d", template.Text, p, at)
		}
		if p.Hole == "" && p.Literal != template.Text[p.Start:p.End] {
			t.Fatalf("%q: part %+v is not what stands there", template.Text, p)
		}
		at = p.End
	}
	if at != len(template.Text) {
		t.Fatalf("%q: the parts end at %d of %d", template.Text, at, len(template.Text))
	}
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"<resource>.v1", "{{resource}}", "a<b", "<<x>>", "<a<b>c>", "{resource}<1>"} {
		f.Add(seed, "v")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		template := ParseTemplate(text)
		checkParts(t, template)
		kept := template.Fill(func(string) (string, bool) { return "", false })
		if kept.Text != text || fmt.Sprint(holeNames(kept)) != fmt.Sprint(holeNames(template)) {
			t.Fatalf("%q without values became %q", text, kept.Text)
		}
		filled := template.Fill(func(string) (string, bool) { return value, true })
		checkParts(t, filled)
		appended := template.Append(nil, func(dst []byte, _ string) []byte { return append(dst, value...) })
		if !filled.Constant() || filled.Text != string(appended) {
			t.Fatalf("%q filled with %q: %q by Fill, %q by Append", text, value, filled.Text, appended)
		}
	})
}
