package lang

import (
	"testing"
	"time"
)

func TestParseAmount(t *testing.T) {
	for _, test := range []struct {
		text string
		want Amount
	}{
		{"0", Amount{Count, 0}},
		{"1000", Amount{Count, 1000}},
		{"-1", Amount{Count, -1}},
		{"9223372036854775807", Amount{Count, 9223372036854775807}},
		{"0.5", Amount{Fraction, 0}},
		{"-2.5", Amount{Fraction, -2}},
		{"1m30s", Amount{Duration, int64(90 * time.Second)}},
		{"1.5s", Amount{Duration, int64(1500 * time.Millisecond)}},
		{"1d", Amount{Duration, int64(24 * time.Hour)}},
		{"0.000000001s", Amount{Duration, 1}},
		{"-1s", Amount{Duration, -int64(time.Second)}},
		{"1us", Amount{Duration, 1000}},
		{"16MiB", Amount{Size, 16 << 20}},
		{"16MB", Amount{Size, 16_000_000}},
		{"1kB", Amount{Size, 1000}},
		{"1KiB", Amount{Size, 1024}},
		{"1.5MiB", Amount{Size, 3 << 19}},
		{"8589934591GiB", Amount{Size, 8589934591 << 30}},
		{"1B", Amount{Size, 1}},
	} {
		if got, fault := parseAmount(test.text); fault != nil || got != test.want {
			t.Errorf("%s: got %v, %v, want %v", test.text, got, fault, test.want)
		}
	}
}

func TestParseAmountFaults(t *testing.T) {
	for text, want := range map[string]string{
		"1S":                   "unknown unit `S`",
		"16mib":                "unknown unit `mib`",
		"9PiB":                 "unknown unit `PiB`",
		"1s1s":                 "the unit `s` twice",
		"1s1MiB":               "a time and a size",
		"1m30":                 "no unit after `30`",
		"1e3":                  "an exponent",
		"1_000":                "an underscore",
		"0x10":                 "unknown unit `x`",
		"1.2.3s":               "a number that cannot be read, `1.2.3`,",
		"1.s":                  "a number that cannot be read, `1.`,",
		".5s":                  "a number that cannot be read, `.5`,",
		"9999999h":             "a number that is too large",
		"8589934592GiB":        "a number that is too large",
		"99999999999999999999": "a number that is too large",
		"1.5B":                 "a fraction of the smallest unit",
		"0.3ns":                "a fraction of the smallest unit",
	} {
		if got, fault := parseAmount(text); fault == nil || fault.summary != want {
			t.Errorf("%s: got %v, %+v, want %q", text, got, fault, want)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	f.Add("-1h2m3.5s")
	f.Add("99999999999999999999.00000001MiB")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) == 0 || numberLength(text) != len(text) || !isDigit(rune(text[0])) {
			return
		}
		positive, fault := parseAmount(text)
		negative, negativeFault := parseAmount("-" + text)
		if (fault == nil) != (negativeFault == nil) {
			t.Fatalf("%v with a sign, %v without", negativeFault, fault)
		}
		if fault == nil && (positive.Value < 0 || negative.Value != -positive.Value) {
			t.Fatalf("%d with a sign, %d without", negative.Value, positive.Value)
		}
	})
}
