package connectors

import (
	"context"
	"strconv"
	"strings"
)

// Archive looks at what streams hold. It changes nothing there: no message, and no
// reader's position.
type Archive interface {
	// Holding is what a stream holds now. Created is 0 where there is no such stream.
	Holding(ctx context.Context, stream string) (Holding, error)
	// Scan calls each for what a stream holds of the sequences from first to last, in
	// its order. A Stored is on loan for the call. An error of each ends the scan.
	Scan(ctx context.Context, stream string, first, last uint64, each func(*Stored) error) error
	// Reread is what a source stream still holds of a range, as Source.Read delivered
	// it to sources with these specs; without specs it is all of the range. It is
	// empty where the stream is gone, or is another one than that of the incarnation.
	Reread(ctx context.Context, specs []SourceSpec, life Incarnation, of Range) ([]Message, error)
	// MessageID is the id with which a flow's sink writes the row that came from a
	// message; empty if it writes without ids.
	MessageID(flow Identity, connection string, from *Message, stream, subject, resource string) string
}

// Holding is the extent of a stream, and how messages may leave it.
type Holding struct {
	Incarnation
	First uint64 // the oldest sequence; 0 if there is none
	Last  uint64 // the newest sequence that was given; its message may be gone
	// Limited says that the stream lets its oldest messages go, by age, number or size.
	Limited bool
	// Sparse says that messages may go from its middle too: a limit for each subject,
	// or consumers that use messages up.
	Sparse bool
}

// Stored is a message as a stream holds it.
type Stored struct {
	Sequence uint64
	Subject  string
	Time     int64 // Unix nanoseconds
	Headers  map[string][]string
	Data     []byte
	// ID is by what the stream tells it from others; empty if it has none.
	ID string
	// Event is the id of the event that it came from, where the message says so.
	Event string
}

// ParseEventID takes the id of an event apart, as Message.AppendEventID makes it.
func ParseEventID(id string) (life Incarnation, sequence uint64, stored int64, ok bool) {
	parts := strings.Split(id, ".")
	if len(parts) != 4 || parts[0] == "" {
		return Incarnation{}, 0, 0, false
	}
	created, err1 := strconv.ParseInt(parts[1], 10, 64)
	sequence, err2 := strconv.ParseUint(parts[2], 10, 64)
	stored, err3 := strconv.ParseInt(parts[3], 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return Incarnation{}, 0, 0, false
	}
	return Incarnation{Stream: parts[0], Created: created}, sequence, stored, true
}
