package expression

import "time"

const (
	secondsPerDay = 24 * 60 * 60
	nsPerDay      = secondsPerDay * int64(time.Second)
	// maxDays is how far from 1970 a day may be to have a timestamp.
	maxDays = int64(1<<63-1)/nsPerDay - 1
)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// inNanoseconds reports whether t has a timestamp: about the years 1678 to 2261.
func inNanoseconds(t time.Time) bool {
	return max(t.Unix(), -t.Unix())/secondsPerDay <= maxDays
}

func instant(ns int64) time.Time { return time.Unix(0, ns).UTC() }

// midnight turns a date into its first instant in UTC.
func (c *compiler) midnight(o operand) operand {
	eval, at := as[int64](o), c.place(o.node)
	t := nullableIf(o.nullable, computed(kindTimestamp, fn[int64](func(f *frame) (int64, bool) {
		days, ok := eval(f)
		if ok && max(days, -days) > maxDays {
			f.fail(at, "date %s has no timestamp: only the years 1678 to 2261 have", dateText(days))
			return 0, false
		}
		return days * nsPerDay, ok
	})))
	t.node = o.node
	return t
}

func dateText(days int64) string {
	return time.Unix(days*secondsPerDay, 0).UTC().Format(time.DateOnly)
}

func timestampText(ns int64) string { return instant(ns).Format(time.RFC3339Nano) }
