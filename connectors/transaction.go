package connectors

import "context"

// ExactlyKey is the setting of a sink that asks for more than at least once, and Once
// its value.
const (
	ExactlyKey = "exactly"
	Once       = "once"
)

// ExactlyOnce says whether the sink's rows are written exactly once, by a Transaction.
func (s SinkSpec) ExactlyOnce() bool { return s.Settings.Text(ExactlyKey) == Once }

// Transactor is a Connection that can write exactly once.
type Transactor interface {
	// OpenTransaction is OpenSink for all sinks of the flow that ask for it.
	OpenTransaction(ctx context.Context, flow Identity, specs []SinkSpec) (Transaction, error)
	// ReadMarker is the newest marker at a place that none of the flow's sinks has any
	// more, never a stale one; Sequence is 0 if there is none. It need not tell Created.
	ReadMarker(ctx context.Context, at MarkedPlace) (Marker, error)
	// Supersede writes a marker without rows over a former one at such a place, which
	// remains that of the flow of that name: whoever counts on the former one commits
	// nothing there any more. It fails with ErrInterrupted if another one is there by now.
	Supersede(ctx context.Context, flow string, former Marker, content []byte) error
}

// Transaction writes the epochs of a flow exactly once: the rows of an epoch reach
// each place in one step, together with a marker that says how far they go. It
// serves all sinks of the flow on one connection that ask for it. One caller at a
// time, except for the sinks' Stats.
//
// A start, and each start after a failure, reads Marker of every place, and may Mark
// it. Then the order is that of its sinks, whose Apply and Commit do nothing; Keep,
// if there are dead letters; and Commit for each place. After an error the session is
// over: Close it and open another one. Whether the last Commit happened is what the
// newest marker says.
type Transaction interface {
	// Sinks are those of the specs, in their order. They end with the transaction.
	Sinks() []Sink
	// Places are the streams that are written to, in the order of the sinks.
	Places() []MarkedPlace
	// Marker is the newest marker of a place, never a stale one; Sequence is 0 if
	// there is none. From now on Commit counts on it.
	Marker(ctx context.Context, place int) (Marker, error)
	// Mark writes a marker without rows, if Marker is still the newest one, and makes
	// the place if it is missing and may be made. Who committed there before cannot any
	// more.
	Mark(ctx context.Context, place int, content []byte) (Marker, error)
	// Keep takes the dead letters that belong into a place of the epoch, and returns
	// those that dead has to write.
	Keep(dead DeadLetters, letters []DeadLetter) ([]DeadLetter, error)
	// Commit writes what the epoch has for a place. It fails with ErrInterrupted if the
	// place has another marker than this transaction counts on, and with an error that
	// does not pass if the messages are more than one step takes: nothing is stored then.
	Commit(ctx context.Context, seal Seal) ([]Receipt, Marker, error)
	Close() error
}

// MarkedPlace is a stream and the subject of the flow's marker in it.
type MarkedPlace struct {
	Stream  string `json:"stream"`
	Subject string `json:"subject"`
}

// Seal says how the rows of one place are committed.
type Seal struct {
	Place int
	// Held is what the place holds already: rows at or below are left out, and counted
	// as duplicates.
	Held []Position
	// Content goes into the marker: a JSON value, as json.Marshal writes it.
	Content []byte
	// Always writes the marker even if there is no row for the place.
	Always bool
}

// Marker says how far a place holds a flow's rows.
type Marker struct {
	MarkedPlace
	Created  int64     `json:"created"`  // of the stream, Unix nanoseconds
	Sequence uint64    `json:"sequence"` // of the marker in its stream
	Batch    string    `json:"batch"`    // the id of the step that wrote it
	Content  []byte    `json:"-"`        // as it was given
	Receipts []Receipt `json:"-"`        // of the rows that came with it
}
