package nats

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

func TestCheckSubject(t *testing.T) {
	for _, c := range []struct {
		subject         string
		filter, literal string // what the error says; empty if there is none
	}{
		{"orders", "", ""},
		{"orders.created", "", ""},
		{"größe.日本", "", ""},
		{"a*b.>x", "", ""}, // only a whole token is a wildcard
		{"orders.>", "", "wildcard >"},
		{"orders.*.created", "", "wildcard *"},
		{">", "", "wildcard >"},
		{"", "is empty", "is empty"},
		{".", "empty token", "empty token"},
		{"orders.", "empty token", "empty token"},
		{"a..b", "empty token", "empty token"},
		{"a b", "white space", "white space"},
		{"a\tb", "white space", "white space"},
		{"a\r\nPUB x 0", "white space", "white space"},
		{"a\u00a0b", "white space", "white space"},
		{"a\x00b", "control character", "control character"},
		{"a\x7f", "control character", "control character"},
		{"a.\xff", "not UTF-8", "not UTF-8"},
		{">.a", "not the last token", "wildcard >"},
		{"a.>.b", "not the last token", "wildcard >"},
	} {
		check(t, c.subject+" as a filter", checkSubject(c.subject, true), c.filter)
		check(t, c.subject+" as a subject", checkSubject(c.subject, false), c.literal)
	}
}

func TestCheckStreamName(t *testing.T) {
	for name, want := range map[string]string{
		"ORDERS": "", "a-b_9": "", "": "is empty", "a.b": `holds '.'`, "a b": `holds ' '`, "a>": `holds '>'`, "größe": `holds 'ö'`, "a/b": `holds '/'`,
	} {
		check(t, name, checkStreamName(name), want)
	}
}

// check compares an error with what it must say; "" means that there is none.
func check(t *testing.T, what string, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%q: expected no error, found %v", what, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%q: expected an error with %q, found %v", what, want, err)
	}
}

func TestOverlapAndCovers(t *testing.T) {
	for _, c := range []struct {
		a, b             string
		overlap          bool
		aCovers, bCovers bool
	}{
		{"a", "a", true, true, true},
		{"a", "b", false, false, false},
		{"a.b", "a", false, false, false},
		{"a.*", "a.b", true, true, false},
		{"a.*", "a", false, false, false},
		{"a.*", "a.b.c", false, false, false},
		{"a.>", "a.b", true, true, false},
		{"a.>", "a.b.c", true, true, false},
		{"a.>", "a", false, false, false},
		{"a.>", "a.*", true, true, false},
		{"a.>", "*.b", true, false, false},
		{"*.b", "a.*", true, false, false},
		{">", "a", true, true, false},
		{">", "*", true, true, false},
		{">", ">", true, true, true},
		{"*.>", ">", true, false, true},
		{"*.*", "*", false, false, false},
		{"orders.*.created", "orders.eu.>", true, false, false},
		{"orders.*.created", "orders.eu.paid", false, false, false},
		{"a*", "ab", false, false, false},
	} {
		if got := overlap(c.a, c.b); got != c.overlap {
			t.Errorf("overlap(%q, %q) is %v", c.a, c.b, got)
		}
		if got := covers(c.a, c.b); got != c.aCovers {
			t.Errorf("covers(%q, %q) is %v", c.a, c.b, got)
		}
		if got := covers(c.b, c.a); got != c.bCovers {
			t.Errorf("covers(%q, %q) is %v", c.b, c.a, got)
		}
	}
}

func TestFirstOfSeveralFilters(t *testing.T) {
	filters := []string{"a.b", "c.*", "c.d"}
	if f, ok := overlapAny(filters, "c.>"); !ok || f != "c.*" {
		t.Errorf("overlapAny: found %q, %v", f, ok)
	}
	if f, ok := coversAny(filters, "c.d"); !ok || f != "c.*" {
		t.Errorf("coversAny: found %q, %v", f, ok)
	}
	if f, ok := coversAny(filters, "c.>"); ok {
		t.Errorf("coversAny: expected none, found %q", f)
	}
}

func TestResourceName(t *testing.T) {
	for subject, want := range map[string]string{
		"orders": "orders", "orders.>": "orders", "orders.*.created": "orders_created", "*.created": "created",
		">": "", "*.*": "", "a-b.c_d": "a_b_c_d", "_x_": "x", "a__b": "a__b", "größe": "gr_e", "日本": "",
	} {
		if got := resourceName(subject); got != want {
			t.Errorf("%q: expected %q, found %q", subject, want, got)
		}
	}
}

func TestWildcardMatch(t *testing.T) {
	for _, c := range []struct {
		filter, subject string
		n               int
		want            string
		ok              bool
	}{
		{"orders.*", "orders.eu", 1, "eu", true},
		{"*.orders.*", "a.orders.b", 1, "a", true},
		{"*.orders.*", "a.orders.b", 2, "b", true},
		{"orders.>", "orders.eu.paid", 1, "eu.paid", true},
		{"*.>", "a.b.c", 2, "b.c", true},
		{"orders.*", "orders.eu", 2, "", false},
		{"orders.>", "orders.eu", 2, "", false},
		{"orders", "orders", 1, "", false},
	} {
		if got, ok := wildcardMatch(c.filter, c.subject, c.n); ok != c.ok || ok && got != c.want {
			t.Errorf("wildcard %d of %q in %q: expected %q, %v, found %q, %v", c.n, c.filter, c.subject, c.want, c.ok, got, ok)
		}
	}
	for filter, want := range map[string]int{"a": 0, "a.*": 1, "*.b.>": 2, "a*.b>": 0} {
		if got := wildcards(filter); got != want {
			t.Errorf("wildcards(%q): expected %d, found %d", filter, want, got)
		}
	}
}

func FuzzSubjects(f *testing.F) {
	for _, seed := range [][2]string{{"a.>", "a.*"}, {"*.b", "a.*"}, {"a", "a.b"}, {">", "*"}, {"a..b", "a b"}, {"*.*.x", ">"}, {"a.>.b", ">"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if checkSubject(a, true) != nil || checkSubject(b, true) != nil {
			return
		}
		if !server.IsValidSubject(a) {
			t.Fatalf("%q is accepted, and the server refuses it", a)
		}
		if got, want := checkSubject(a, false) == nil, server.IsValidLiteralSubject(a); got != want {
			t.Fatalf("%q as one subject: %v here, %v on the server", a, got, want)
		}
		if got, want := overlap(a, b), server.SubjectsCollide(a, b); got != want || overlap(b, a) != got {
			t.Fatalf("overlap(%q, %q) is %v, and %v the other way; the server says %v", a, b, got, overlap(b, a), want)
		}
		if covers(a, b) && !overlap(a, b) {
			t.Fatalf("%q covers %q without an overlap", a, b)
		}
		if covers(a, b) && covers(b, a) && a != b {
			t.Fatalf("%q and %q cover each other", a, b)
		}
		if checkSubject(b, false) == nil {
			if got, want := covers(a, b), server.SubjectMatchesFilter(b, a); got != want {
				t.Fatalf("covers(%q, %q) is %v, and the server says %v", a, b, got, want)
			}
		}
		if name := resourceName(a); name != "" && checkStreamName(name) != nil {
			t.Fatalf("the resource name %q of %q is no stream name", name, a)
		}
	})
}
