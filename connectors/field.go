package connectors

import (
	"math"
	"strings"
	"time"
)

// Type is what a field's value may be.
type Type string

// The types of settings, by the Go type that Settings holds for them.
const (
	Text     Type = "string"         // string
	List     Type = "list"           // []string; a single string is a list of one
	Bool     Type = "bool"           // bool
	Count    Type = "count"          // int64
	Duration Type = "duration"       // time.Duration
	Size     Type = "size"           // int64, in bytes
	Window   Type = "count and size" // Limits: 1024/16MiB, either may be left out
	Word     Type = "word"           // string, one of Values
	Origin   Type = "start"          // Start: a word, a sequence, or a time in quotes
)

// Field describes one setting.
type Field struct {
	Key      string
	Type     Type
	Doc      string // one sentence for the reference page
	Default  any    // of the Go type above; nil if there is none
	Required bool
	Unless   string   // the key that may stand instead of a required one
	Secret   bool     // takes env, file or secret, never a literal
	Template bool     // may hold <holes>
	Values   []string // what a Word may be
	// Refuses are words that are no Values, though one may ask for them, and why.
	Refuses  map[string]string
	Min, Max int64 // of Count, Size and Duration (nanoseconds); Max 0 is no limit
	Tuning   bool  // changes how fast or how patient a flow is, not what it does
	// MaxBytes bounds the size of a Window, as Min and Max its count.
	MaxBytes int64
}

// Limits is the value of a Window.
type Limits struct {
	Messages int64
	Bytes    int64
}

// Fields is the table of one role, in the order of the reference page.
type Fields []Field

// Lookup finds a field by its key.
func (fs Fields) Lookup(key string) (Field, bool) {
	for _, f := range fs {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// Complete adds the defaults of fields that have no value.
func (fs Fields) Complete(s Settings) {
	for _, f := range fs {
		if f.Default != nil && !s.Has(f.Key) {
			s[f.Key] = f.Default
		}
	}
}

// Keys are the keys of all fields.
func (fs Fields) Keys() []string {
	keys := make([]string, len(fs))
	for i, f := range fs {
		keys[i] = f.Key
	}
	return keys
}

// Allows says whether n lies in the field's range.
func (f Field) Allows(n int64) bool { return n >= f.Min && n <= f.max() }

func (f Field) max() int64 {
	if f.Max == 0 {
		return math.MaxInt64
	}
	return f.Max
}

// Range says in words what Allows asks for.
func (f Field) Range() string {
	show := func(n int64) string { return formatBound(f.Type, n) }
	if f.Max == 0 {
		return "at least " + show(f.Min)
	}
	return show(f.Min) + " to " + show(f.Max)
}

func formatBound(t Type, n int64) string {
	switch t {
	case Duration:
		return ShortDuration(time.Duration(n))
	case Size:
		return FormatSize(n)
	default:
		return FormatCount(n)
	}
}

// ShortDuration prints a duration as the language writes it: 1m0s is 1m.
func ShortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
