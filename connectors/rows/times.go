package rows

import (
	"bytes"
	"math"
	"time"
)

var (
	earliest = time.Unix(0, math.MinInt64)
	latest   = time.Unix(0, math.MaxInt64)
)

// parseTimestamp reads an RFC 3339 time as nanoseconds since 1970 UTC. What
// the column cannot hold is refused: an instant outside 1677-09-21 to
// 2262-04-11, or more than nine digits of a second.
func parseTimestamp(text []byte) (int64, bool) {
	if dot := bytes.IndexByte(text, '.'); dot >= 0 && leadingDigits(text[dot+1:]) > 9 {
		return 0, false
	}
	var t time.Time
	if err := t.UnmarshalText(text); err != nil || t.Before(earliest) || t.After(latest) {
		return 0, false
	}
	return t.UnixNano(), true
}

// parseDate reads a YYYY-MM-DD date as days since 1970.
func parseDate(text []byte) (int32, bool) {
	const midnight = "T00:00:00Z"
	if len(text) != len(time.DateOnly) {
		return 0, false
	}
	var full [len(time.DateOnly) + len(midnight)]byte
	copy(full[:], text)
	copy(full[len(text):], midnight)
	var t time.Time
	if err := t.UnmarshalText(full[:]); err != nil {
		return 0, false
	}
	const secondsPerDay = 24 * 60 * 60
	return int32(t.Unix() / secondsPerDay), true
}
