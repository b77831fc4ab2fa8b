package lang

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	among := []string{"stream", "subject", "publish_timeout", "to", "from", "Amount"}
	for _, test := range []struct{ name, want string }{
		{"STREAM", "stream"},
		{"amount", "Amount"},
		{"steam", "stream"},
		{"sbject", "subject"},
		{"publish_timeot", "publish_timeout"},
		{"publsh_tmeout", "publish_timeout"},
		{"form", "from"},
		{"ot", "to"},
		{"x", ""}, // one letter away from nothing is near to nothing
		{"xyz", ""},
		{"", ""},
		{"subway", ""},
		{strings.Repeat("s", 1_000_000), ""},
	} {
		got, ok := Nearest(test.name, among)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%.20q: got %q, %v, want %q", test.name, got, ok, test.want)
		}
	}
}
