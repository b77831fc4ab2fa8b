package connectors

import (
	"context"
	"time"
)

// SourceSpec is one source of a flow, as the planner resolved it.
type SourceSpec struct {
	Connection string // the connection's name
	Select     string // what is read, such as a subject; empty for an explicit binding
	Resource   string // what its rows are called
	Settings   Settings
}

// SourceOptions are those of a run.
type SourceOptions struct {
	// UntilCaughtUp makes Read return ErrDrained once everything that was stored
	// when Seek was first called has been delivered.
	UntilCaughtUp bool
	// Epoch tells what an epoch may hold, so that the source can ask for credit.
	Epoch Bounds
	// Fingerprint is that of the flow's plan. What the source leaves at the server
	// carries it, for whoever looks there.
	Fingerprint string
	// Idle is called by Read when it begins and when it ceases to wait since there is
	// nothing to read, as far as is known. It may be nil.
	Idle func(bool)
	// Inherits is a flow whose position this one goes on from. What that left at the
	// other end is taken away once this flow's own is there. Empty if there is none.
	Inherits Identity
}

// Bounds end an epoch, each by itself. A zero bound is none; MaxRecords and
// MaxWait are positive.
type Bounds struct {
	MaxRecords int
	MaxWait    time.Duration // since reading began
	MaxBytes   int64         // of payload, headers and subject
	MaxAge     time.Duration // since the first record
}

// Source reads what its specs name. One caller at a time, except for Stats. While
// Read collects one epoch, the delivery of the one before may be acknowledged or
// released; deliveries are acknowledged in their order.
type Source interface {
	// Avoid tells the source where its flow writes, before anything is read. What
	// the flow writes to is never read; an error names a loop and how to end it.
	Avoid(targets []Target) error
	// Streams are what is read, apart from what Avoid and Confine have taken away.
	Streams() []SourceStream
	// Confine takes away every stream but these, before the first Seek, and reports
	// those: they are not read. From the first Seek on a stream that comes to match
	// is reported as well, within ten seconds.
	Confine(streams []string)
	// Held says whether a process reads through what this source would read through.
	// It changes nothing at the other end, and is asked before the first Seek.
	Held(ctx context.Context) (Tenure, error)
	// Seek makes the next Read start right after the positions, and where none is
	// given for a stream at its first message. Everything that is
	// on loan is forgotten; whoever holds it gets no acknowledgement through.
	// What the source leaves at the server belongs to records, the name of the
	// flow's records in the ledger, and Seek fails where it belongs to others.
	// From the first Seek on others find the source held, whatever it is busy with,
	// and whoever held it before gets nothing more.
	// It is called before the first Read, after a failed epoch, and after a Read
	// that was interrupted. It returns the positions that it found good: those of
	// a stream that was made anew are left out, after a notice.
	Seek(ctx context.Context, records string, from []Position) ([]Position, error)
	// Read collects one epoch's input until a bound is met or stop is closed. It
	// may be empty. It returns ErrInterrupted when the delivery was cut so that
	// only Seek can tell what comes next, and ErrDrained as SourceOptions says. A
	// failed or cancelled Read acknowledges nothing.
	Read(ctx context.Context, bounds Bounds, stop <-chan struct{}) (Delivery, error)
	Stats() SourceStats
	// Close hands back what was delivered and not acknowledged, and lets go, so that
	// others find the source vacant at once.
	Close(ctx context.Context) error
}

// SourceStream is a stream that a source reads, as it was when the source was opened.
type SourceStream struct {
	Stream   string
	Replicas int
	Messages uint64 // that it holds; All says that the flow reads all of its subjects
	Bytes    uint64
	All      bool
	Oldest   time.Time // when the first of them was stored
	Begins   string    // where the flow begins to read, if not at the first message
	Makes    string    // what the first Seek makes there to read through; empty if nothing
}

// Tenure says whether a source is in use by a process.
type Tenure uint8

// The tenures. Of a process that crashed or froze the other end finds out within a
// second or so, and until then the source is occupied.
const (
	TenureUnknown Tenure = iota // the other end does not tell
	Vacant
	Occupied
)

// Delivery is the input of one epoch, on loan. From delivery until Ack or
// Release the source keeps all of it reserved, whatever the caller does.
type Delivery interface {
	// Messages are in the order of their stream.
	Messages() []Message
	// Covers says which part of which stream this is.
	Covers() []Range
	// Position is how far the sources are read once this is certified: one for
	// each stream in Covers.
	Position() []Position
	// Ack acknowledges all, and returns once the server confirmed it.
	Ack(ctx context.Context) error
	// Release hands all back at once, to be delivered again.
	Release(ctx context.Context)
}

// SourceStats are counts since the source was opened.
type SourceStats struct {
	Redelivered uint64 // deliveries of what was certified already: acknowledged, not read again
	Pending     uint64 // messages not delivered yet, as last heard
	Interrupted bool   // the next Read will fail with ErrInterrupted
	Streams     []StreamStats
}

// StreamStats is how far one stream has been read, as last heard of it.
type StreamStats struct {
	Stream    string
	Consumer  string
	Certified uint64    // the last sequence that is certified; 0 if none is
	Lag       uint64    // messages that are not certified, those in hand included
	Oldest    time.Time // when the oldest of them was stored; zero if none is in hand
	// Loss is how long it takes until the stream's limits remove the oldest of them,
	// at the rate at which the stream has grown since that one; NoLoss if they do not,
	// as far as is known.
	Loss time.Duration
}

// NoLoss is the loss of a stream that keeps what is not certified.
const NoLoss time.Duration = -1
