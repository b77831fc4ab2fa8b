package exec

import (
	"context"
	"time"

	"github.com/flowlang/flow/connectors"
)

// Options are those of one run. The zero value runs until the context ends.
type Options struct {
	// EpochBoundary replaces the flow's bounds, if it is not nil. MaxRecords and
	// MaxWait must be positive.
	EpochBoundary *connectors.Bounds
	// UntilCaughtUp ends the run once everything that was there at its start is
	// certified and acknowledged.
	UntilCaughtUp bool
	// AcceptDead lets the flow go on where more than half of an epoch's rows are bad,
	// and are skipped or kept as dead letters.
	AcceptDead bool
	// Ledger opens the flow's ledger elsewhere than on the connection of the flow's
	// first source, which is where it is if Ledger is nil.
	Ledger func(context.Context, connectors.Identity) (connectors.Ledger, error)
	// Stop ends the run when it is closed: the open epoch is closed at once,
	// committed, certified and acknowledged. A failure that would be retried ends
	// the run with ErrStopped then.
	Stop <-chan struct{}
	// Replace takes the flow over from whoever runs it, who stops without acknowledging
	// anything more. Otherwise a run of the same flow waits for its turn, and one of a
	// changed flow is refused.
	Replace bool
	// Adopt continues the position of another flow of the namespace, under this one's
	// name, and ends that one. Fresh begins anew though another flow reads and writes
	// the same. Both are for a name that has not run yet.
	Adopt string
	Fresh bool
	// AdoptStreams reads streams, too, that have come to match since the first run.
	AdoptStreams bool
	// Handle shows and holds the run while it goes on, if it is not nil.
	Handle *Handle
	// OnEvent is called in the run's own goroutine and must not block.
	OnEvent func(Event)
	// OnNotice takes what connections met and mended, from any goroutine.
	OnNotice func(connectors.Notice)

	together []string // the names of the flows of the same run
}

// Event is something that happened in a run.
type Event struct {
	Kind   EventKind
	Epoch  uint64            // the epoch's number
	Totals Totals            // so far
	Err    error             // of Retrying
	Phase  Phase             // of Retrying: in which it failed; Acknowledging is after the epoch was certified
	After  time.Duration     // of Retrying: until the next try
	Try    int               // of Retrying: failures in a row
	Done   *Done             // of Certified, and of Retrying where an epoch failed that is not certified
	Text   string            // of Connected: where to; of Admitted: where the ledger is
	Ledger connectors.Ledger // of Admitted
	Lines  []string          // of Admitted: what differs from the last run; of Announced: what it will make and read
	Owner  Owner             // of Standby: who runs the flow; of TookOver: who ran it
}

// EventKind says what happened.
type EventKind uint8

// The kinds of events.
const (
	Admitted  EventKind = iota // the flow owns its ledger and begins to read
	Certified                  // an epoch is certified; acknowledged too, unless Retrying follows
	Retrying                   // an epoch failed and is tried again
	Recovered                  // reading goes on from the last certified position
	Connected                  // the connections are open
	Announced                  // a flow that has not run yet is about to make and read something
	Standby                    // another process runs the flow, and this one waits for its end
	TookOver                   // the flow is this process's now, which stood by
)

// Done is an epoch that has ended. Its messages and bad rows are on loan until OnEvent
// returns. An epoch of which only the certificate or the marker is known has neither.
type Done struct {
	Messages []connectors.Message
	Began    [phases]time.Time // zero where the epoch did not come to a phase
	Spent    [phases]time.Duration
	Ranges   []connectors.Range
	Receipts []connectors.Receipt
	Counts   []Counts    // by resource
	Bad      []*RowFault // that did not stop the flow
}

// Counts are those of one resource in one epoch.
type Counts struct {
	Read    int
	Dropped int // of them, those that went nowhere
	Bad     int // of them, those that were skipped or kept as dead letters
}

// Totals are counts since the run began.
type Totals struct {
	Epochs      uint64
	Read        uint64 // source messages in certified epochs
	Dropped     uint64 // of them, those that went nowhere: filtered, or taken by no sink
	Bad         uint64 // of them, those that were skipped or kept as dead letters
	Written     uint64 // messages that destinations acknowledged, in certified epochs
	Bytes       uint64 // of their bodies
	Duplicates  uint64 // of them, those that the destination had already
	Redelivered uint64 // deliveries of what was certified already
	Pending     uint64 // messages yet to be read, as last heard
	InFlight    connectors.Limits
	Limits      connectors.Limits
	Time        [phases]time.Duration // by Phase
	Places      []Place
	Sources     []connectors.StreamStats // the streams that are read
}

// Place is what one destination stream got in this run.
type Place struct {
	Resource    string
	Stream      string
	Rows        uint64 // without duplicates
	First, Last uint64 // sequences in the stream; 0 if all were duplicates
}
