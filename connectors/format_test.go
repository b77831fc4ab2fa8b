package connectors

import (
	"math"
	"testing"
	"time"
)

func TestFormatSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 812: "812 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB",
		16 << 20: "16 MiB", 3 << 30: "3 GiB", 5 << 40: "5 TiB", 1 << 50: "1024 TiB", 3040870: "2.9 MiB",
	} {
		if got := FormatSize(n); got != want {
			t.Errorf("FormatSize(%d): expected %q, found %q", n, want, got)
		}
	}
}

func TestFormatCount(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 65536: "65,536", 1234567: "1,234,567",
		-1: "-1", -999: "-999", -1000: "-1,000", math.MaxInt64: "9,223,372,036,854,775,807", math.MinInt64: "-9,223,372,036,854,775,808",
	} {
		if got := FormatCount(n); got != want {
			t.Errorf("FormatCount(%d): expected %q, found %q", n, want, got)
		}
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", time.Minute: "1m", time.Hour: "1h", 10 * time.Minute: "10m",
		90 * time.Second: "1m30s", time.Hour + time.Second: "1h0m1s", 1500 * time.Millisecond: "1.5s",
	} {
		got := ShortDuration(d)
		if got != want {
			t.Errorf("ShortDuration(%v): expected %q, found %q", d, want, got)
		}
		if back, err := time.ParseDuration(got); err != nil || back != d {
			t.Errorf("ShortDuration(%v) reads back as %v, %v", d, back, err)
		}
	}
}
