package connectors

import (
	"testing"
	"time"
)

func TestParseStart(t *testing.T) {
	at := time.Date(2026, 1, 31, 8, 0, 0, 5e8, time.UTC)
	for _, v := range []struct {
		text string
		want Start
		back string
	}{
		{"all", Start{}, "all"},
		{"new", Start{Word: "new"}, "new"},
		{"last", Start{Word: "last"}, "last"},
		{"1", Start{Sequence: 1}, "1"},
		{"18446744073709551615", Start{Sequence: 1<<64 - 1}, "18446744073709551615"},
		{"2026-01-31T08:00:00.5Z", Start{Time: at}, "2026-01-31T08:00:00.5Z"},
		{"2026-01-31T09:00:00.5+01:00", Start{Time: at}, "2026-01-31T08:00:00.5Z"},
	} {
		got, err := ParseStart(v.text)
		if err != nil || got != v.want || got.String() != v.back {
			t.Errorf("%s: expected %+v (%s), found %+v (%s), %v", v.text, v.want, v.back, got, got, err)
		}
		if got.First() != (v.text == "all") {
			t.Errorf("%s: First is %v", v.text, got.First())
		}
	}
	for _, text := range []string{"", "0", "-1", "18446744073709551616", "New", "2026-01-31", "2026-01-31T08:00:00", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00Z"} {
		if got, err := ParseStart(text); err == nil {
			t.Errorf("%q: expected an error, found %+v", text, got)
		}
	}
}

func FuzzParseStart(f *testing.F) {
	for _, seed := range []string{"all", "new", "last", "7", "2026-01-31T08:00:00.5+01:00", "9999-12-31T23:59:59Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start, err := ParseStart(text)
		if err != nil {
			return
		}
		if back, err := ParseStart(start.String()); err != nil || back != start {
			t.Errorf("%q became %+v, and %q reads back as %+v, %v", text, start, start, back, err)
		}
	})
}
