package connectors

import (
	"fmt"
	"strconv"
	"time"
)

// Start is where a source begins that has not been read before. The zero value is
// the first message that is there.
type Start struct {
	Word     string    // "new", "last", or empty
	Sequence uint64    // 0 if it is none
	Time     time.Time // zero if it is none
}

// StartWords are the words that say where to begin.
func StartWords() []string { return []string{"all", "new", "last"} }

// ParseStart reads a word of StartWords, a sequence of at least 1, or a time as RFC
// 3339 writes it.
func ParseStart(text string) (Start, error) {
	switch text {
	case "all":
		return Start{}, nil
	case "new", "last":
		return Start{Word: text}, nil
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil && n > 0 {
		return Start{Sequence: n}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.IsZero() {
		return Start{}, fmt.Errorf("expected all, new, last, a sequence of at least 1, or a time such as \"2026-01-31T08:00:00Z\", found %q", text)
	}
	return Start{Time: t.UTC()}, nil
}

// First says whether it is the first message that is there.
func (s Start) First() bool { return s == Start{} }

// String is what ParseStart reads.
func (s Start) String() string {
	switch {
	case s.Word != "":
		return s.Word
	case s.Sequence > 0:
		return strconv.FormatUint(s.Sequence, 10)
	case !s.Time.IsZero():
		return s.Time.Format(time.RFC3339Nano)
	}
	return "all"
}

// Start is an origin setting.
func (s Settings) Start(key string) Start { v, _ := s[key].(Start); return v }
