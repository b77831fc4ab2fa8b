package langserver

import "testing"

func TestChange(t *testing.T) {
	at := func(l1, c1, l2, c2 int) *textRange { return &textRange{position{l1, c1}, position{l2, c2}} }
	for name, test := range map[string]struct {
		before  string
		changes []contentChange
		want    string
	}{
		"none":                     {"a", nil, "a"},
		"all":                      {"a", []contentChange{{Text: "b"}}, "b"},
		"an insertion":             {"ac", []contentChange{{at(0, 1, 0, 1), "b"}}, "abc"},
		"a removal over lines":     {"a\r\nb\r\nc", []contentChange{{at(0, 1, 2, 0), ""}}, "ac"},
		"behind a surrogate pair":  {"\"𝕏y\"", []contentChange{{at(0, 3, 0, 4), "z"}}, "\"𝕏z\""},
		"behind a byte order mark": {"\uFEFFfrom", []contentChange{{at(0, 1, 0, 5), "to"}}, "\uFEFFto"},
		"one after the other":      {"abc", []contentChange{{at(0, 0, 0, 1), ""}, {at(0, 0, 0, 1), "B\n"}, {at(1, 0, 1, 1), "C"}}, "B\nC"},
		"behind the end":           {"a\n", []contentChange{{at(9, 9, 9, 9), "b"}}, "a\nb"},
		"an end before its start":  {"abc", []contentChange{{at(0, 2, 0, 1), "x"}}, "abxc"},
	} {
		d := newDocument(textDocumentItem{URI: testURI, Text: test.before})
		d.change(2, test.changes)
		if d.text() != test.want || d.version != 2 {
			t.Errorf("%s: expected %q, found %q", name, test.want, d.text())
		}
	}
}

func TestSourceName(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///flows/orders.flow":           "orders.flow",
		"file:///c%3A/my%20flows/a-b.flow":    "a-b.flow",
		"untitled:Untitled-1":                 "Untitled-1",
		"vscode-remote://host/x/orders.flow":  "orders.flow",
		"%zz":                                 "%zz",
		"":                                    ".",
		"file:///flows/%1b%5b31m/orders.flow": "orders.flow",
	} {
		if got := sourceName(uri); got != want {
			t.Errorf("%q: expected %q, found %q", uri, want, got)
		}
	}
}
