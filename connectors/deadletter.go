package connectors

import "context"

// DeadLetterSpec says where the messages go that a flow cannot process.
type DeadLetterSpec struct {
	Connection string
	Settings   Settings
	Resources  []string // of the flow, in its order
	Selects    []string // what each of them reads
}

// DeadLetter is a source message that cannot be processed, and why.
type DeadLetter struct {
	Message *Message
	Code    string // of the kind of fault
	Reason  string // one sentence; it may quote values of the message
}

// DeadLetters keeps what a flow cannot process. One caller at a time.
//
// An error from Write ends the session: Close it and open another one.
type DeadLetters interface {
	// Targets are the places that may be written to.
	Targets() []Target
	// Write returns once all letters are acknowledged. A letter that is written
	// again is the same one.
	Write(ctx context.Context, letters []DeadLetter) error
	Close() error
}
