package connectors

import (
	"context"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
)

// SinkSpec is one sink of a flow, as the planner resolved it.
type SinkSpec struct {
	Connection string
	Settings   Settings
	// Resources may be routed here, in the flow's order; Selects is what each
	// of them reads, such as its subject.
	Resources []string
	Selects   []string
	// Together are the other sinks of the run that write into the same stream: one
	// that has to be made holds their subjects, too.
	Together []SinkSpec
	// Preview says that nothing is made or sent: the sink only prepares.
	Preview bool
	// Shaped says that the flow chose the columns (select, drop): the envelope's
	// columns are not added to the body.
	Shaped bool
}

// Batch is rows of one resource. Rows and Messages have the same length and order.
type Batch struct {
	Resource int // index into SinkSpec.Resources
	Rows     arrow.RecordBatch
	Messages []Message // what each row came from
	// Selected are the rows to be written, as indexes in ascending order. What
	// the others hold is undefined.
	Selected []int
}

// Target is a place that a sink writes to, so that the source can keep clear of it.
type Target struct {
	Stream  string
	Subject string // with * where a value is filled in later
	// Account is the same for two connections to one account, as far as known.
	Account string
	// Created is when the stream was made, in Unix nanoseconds; 0 if it is not there yet.
	Created int64
	// Replicas are those of the stream; 0 if it is not there yet, or not known.
	Replicas int
	// Key is the setting that a refusal is about.
	Key string
}

// Receipt says what a destination holds of one epoch.
type Receipt struct {
	Resource   string `json:"resource"`
	Connection string `json:"connection,omitempty"` // its name in the flow; the executor writes it
	Stream     string `json:"stream"`
	Created    int64  `json:"created"` // of the stream, Unix nanoseconds
	Rows       int    `json:"rows"`
	Bytes      int64  `json:"bytes"` // of the bodies
	First      uint64 `json:"first"` // sequences in the destination stream; 0 if all were duplicates
	Last       uint64 `json:"last"`
	CRC32C     uint32 `json:"crc32c"` // over the bodies, one after the other, in row order
	Duplicates int    `json:"duplicates"`
}

// Sink writes epochs. One caller at a time, except for Stats.
//
// The order is Begin, Prepare any number of times, Apply, then Commit or Abort, and
// Close at the end. Begin may be called again before Apply, to prepare anew. After
// an error that is not RowErrors the session is over: Close it and open another one.
type Sink interface {
	// Targets are the places that this sink may write to.
	Targets() []Target
	// Begin starts an epoch. The first one creates what is missing and may be created.
	Begin(ctx context.Context, epoch uint64) error
	// Prepare takes rows, and judges them before any of the epoch is sent. RowErrors
	// mean that nothing of the batch is taken. The messages must stay until Apply.
	Prepare(ctx context.Context, batch Batch) error
	// Prepared calls each for what Apply would send, in its order. A Prepared is on
	// loan for the call.
	Prepared(each func(Prepared))
	// Apply sends what was prepared, in its order, and returns nil once the
	// destination acknowledged every row.
	Apply(ctx context.Context) error
	// Commit ends the epoch and says what the destination holds of it.
	Commit(ctx context.Context, epoch uint64) ([]Receipt, error)
	// Abort forgets the epoch. What the destination acknowledged stays there.
	Abort(ctx context.Context) error
	Stats() SinkStats
	// Close returns ErrUnproven if something may still be written later.
	Close() error
}

// SinkStats is what is outstanding now, the limits, and the waiting so far.
type SinkStats struct {
	InFlight Limits
	Limits   Limits
	Waited   Waited
}

// Waited is how long a sink waited in Apply since it was opened, until now, and for
// what. The causes exclude each other.
type Waited struct {
	Messages time.Duration // as many messages as may be were in flight
	Bytes    time.Duration // as many bytes as may be were
	Acks     time.Duration // everything was sent
}

// Add is the sum of both.
func (w Waited) Add(more Waited) Waited {
	return Waited{Messages: w.Messages + more.Messages, Bytes: w.Bytes + more.Bytes, Acks: w.Acks + more.Acks}
}

// Prepared is a message that a sink has ready to be sent.
type Prepared struct {
	Resource string
	From     *Message // that its row came from: an element of Batch.Messages
	Stream   string
	Subject  string
	ID       string // empty if it has none
	Event    string // the id of the event, where the message says so
	Headers  map[string][]string
	Data     []byte
}
