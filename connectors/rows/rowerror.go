package rows

import (
	"errors"
	"strings"
)

// ErrFull is returned by Decoder.Append when a batch would pass the 2 GiB that
// Arrow's 32-bit offsets can address. The row is not there; Reset makes room.
var ErrFull = errors.New("expected at most 2 GiB of messages in a batch, found more: lower the epoch's byte bound")

// RowError says why one message is not a row. It describes the message only;
// whoever knows the stream and the sequence adds them.
type RowError struct {
	// Path leads to the value, as in n.q or tags[3]. It is empty when the
	// message as a whole is at fault. Names that are no identifiers are quoted.
	Path string

	// Reason is the whole finding, with Expected and Found in it where they apply.
	Reason string

	// Expected and Found are types in the words of a schema clause or of JSON.
	// Both are empty when types are not the matter.
	Expected, Found string

	// Help says what the user can do; it may be empty.
	Help string

	// Offset is the number of bytes of the message before the fault, or close to it.
	Offset int
}

// Error is a complete sentence without a period.
func (e *RowError) Error() string {
	var b strings.Builder
	if e.Path != "" {
		b.WriteString("field ")
		b.WriteString(e.Path)
		b.WriteString(": ")
	}
	b.WriteString(e.Reason)
	if e.Help != "" {
		b.WriteString("; ")
		b.WriteString(e.Help)
	}
	return b.String()
}

const (
	helpDeclare  = "declare the field as `json` in a `schema { ... }` clause, or read each subject as a source of its own"
	helpUnknown  = "declare the member, or admit any with `...`, in a `schema { ... }` clause, or read each subject as a source of its own"
	helpNullable = "end the field's type with `?` if it may be missing or null"
	helpSyntax   = "correct its producer, or set such messages aside with `on error`"
	helpWide     = "the field has held integers that a float would round: declare it as `decimal` or `json` in a `schema { ... }` clause"
	helpExact    = "declare the field as `decimal` or `json` in a `schema { ... }` clause"
	helpShape    = "read objects and other payloads as sources of their own"
)
