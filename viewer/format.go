package viewer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
)

// count prints a number with commas, or shorter if it is wider than the width.
func count(n uint64, width int) string {
	if n <= math.MaxInt64 {
		if text := connectors.FormatCount(int64(n)); len(text) <= width {
			return text
		}
	}
	return short(float64(n))
}

// short prints a number in at most five characters: 812, 4.1k, 12M.
func short(n float64) string {
	if math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
		return "-"
	}
	unit := 0
	units := []string{"", "k", "M", "G", "T", "P", "E"}
	for n >= 999.5 && unit < len(units)-1 {
		n /= 1000
		unit++
	}
	if unit == 0 || n >= 9.95 {
		return strconv.FormatFloat(n, 'f', 0, 64) + units[unit]
	}
	return strconv.FormatFloat(n, 'f', 1, 64) + units[unit]
}

func perSecond(n float64) string { return short(n) + "/s" }

func size(n int64) string { return connectors.FormatSize(n) }

// sizeOf prints two sizes in the unit of the larger one: 15.2/16 MiB.
func sizeOf(part, whole int64) string {
	number, unit, _ := strings.Cut(size(whole), " ")
	one := int64(1)
	for _, u := range []string{"B", "KiB", "MiB", "GiB", "TiB"} {
		if u == unit {
			break
		}
		one <<= 10
	}
	value := strconv.FormatFloat(float64(part)/float64(one), 'f', 1, 64)
	return strings.TrimSuffix(value, ".0") + "/" + number + " " + unit
}

// age prints a duration in at most six characters: 0.4s, 41m, 3h12m, 2d4h.
func age(d time.Duration) string {
	switch {
	case d <= 0:
		return "0.0s"
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%dms", max(1, d.Milliseconds()))
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 10*time.Minute:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	case d < 100*24*time.Hour:
		return fmt.Sprintf("%dd%dh", int(d.Hours())/24, int(d.Hours())%24)
	}
	return fmt.Sprintf("%dd", int(d.Hours())/24)
}

// seconds is age of a number of seconds, as large as a number can be.
func seconds(s float64) string {
	if math.IsNaN(s) || s < 0 {
		return "-"
	}
	return age(time.Duration(min(s, 1e9) * float64(time.Second)))
}

// brief prints the seconds of a phase: .02, 1.0s.
func brief(s float64) string {
	if s < 0.995 {
		return strings.TrimPrefix(strconv.FormatFloat(max(s, 0), 'f', 2, 64), "0")
	}
	return seconds(s)
}

func percent(part, whole float64) int {
	if whole <= 0 || math.IsNaN(part) {
		return 0
	}
	return int(math.Round(min(part/whole, 9.99) * 100))
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05") }

func repeat(text string, n int) string { return strings.Repeat(text, max(0, n)) }
