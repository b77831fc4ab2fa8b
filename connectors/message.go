package connectors

import (
	"strconv"
	"time"
)

// Operation is what a message did to what it speaks of.
type Operation uint8

// The operations, Insert being that of an ordinary message.
const (
	Insert Operation = iota
	Update
	Delete
)

// String is the operation's name in headers and columns.
func (o Operation) String() string {
	switch o {
	case Update:
		return "update"
	case Delete:
		return "delete"
	default:
		return "insert"
	}
}

// Incarnation is one life of a stream: deleted and made again it is another one.
type Incarnation struct {
	Stream  string `json:"stream"`
	Created int64  `json:"created"` // Unix time in nanoseconds
}

// Message is one source message. Data and Headers are on loan from the Delivery.
type Message struct {
	Resource  int // index into the specs that the source was opened with
	Subject   string
	Key       string // of a key-value bucket; empty if it is of none
	Data      []byte
	Headers   map[string][]string // nil if there are none
	Source    *Incarnation
	Sequence  uint64
	Time      int64 // when the stream stored it, Unix time in nanoseconds
	Operation Operation
	// Marker says that the message tells of a removal and has no content of its own.
	Marker bool
}

// AppendEventID appends the id of the event: the same in every attempt, epoch
// and process, and never taken from the content.
func (m *Message) AppendEventID(dst []byte) []byte {
	dst = append(dst, m.Source.Stream...)
	dst = append(dst, '.')
	dst = strconv.AppendInt(dst, m.Source.Created, 10)
	dst = append(dst, '.')
	dst = strconv.AppendUint(dst, m.Sequence, 10)
	dst = append(dst, '.')
	return strconv.AppendInt(dst, m.Time, 10)
}

// AppendTime appends the time of storing as RFC 3339 with nanoseconds, in UTC.
func (m *Message) AppendTime(dst []byte) []byte {
	return time.Unix(0, m.Time).UTC().AppendFormat(dst, time.RFC3339Nano)
}

// Position is how far a source has been read: everything of it up to and
// including Sequence. Time is when the message at Sequence was stored, in Unix
// nanoseconds: a stream that was rolled back reuses sequences, but not times.
type Position struct {
	Incarnation
	Sequence uint64 `json:"sequence"`
	Time     int64  `json:"time"`
}

// Range is what one epoch took of a stream: Records messages from sequence First to Last.
type Range struct {
	Stream  string `json:"stream"`
	First   uint64 `json:"first"`
	Last    uint64 `json:"last"`
	Records int    `json:"records"`
}
