package connectors

import "context"

// Letter is a dead letter as it is kept.
type Letter struct {
	Stream   string // that holds it
	Sequence uint64 // there
	Subject  string
	Stored   int64 // Unix nanoseconds
	Code     string
	Reason   string
	// Message is the original. Its Source is nil where the letter does not say which
	// event it was.
	Message Message
	// Shortened says what there was no room for; empty if the letter is whole.
	Shortened string
}

// Letters keeps what flows could not process, for a person to look at.
type Letters interface {
	// Letters calls each for a flow's dead letters, by stream and sequence. They are
	// where spec says, or where the connector puts them by itself if spec is nil.
	// Their messages are what sources with these specs deliver. Nothing is made. A
	// Letter is on loan for the call, and an error of each ends it.
	Letters(ctx context.Context, flow Identity, spec *DeadLetterSpec, sources []SourceSpec, each func(*Letter) error) error
	// RemoveLetter removes one for good. One that is gone already is no error.
	RemoveLetter(ctx context.Context, stream string, sequence uint64) error
}
