package monitor

import "time"

// DeadLetter is a message that a run could not process, and why. Text in it may come
// from data, and is not yet fit for a terminal.
type DeadLetter struct {
	Time     time.Time `json:"time"`
	Epoch    uint64    `json:"epoch"`
	Resource string    `json:"resource"`
	Stream   string    `json:"stream"`
	Sequence uint64    `json:"sequence"`
	Subject  string    `json:"subject"`
	Code     string    `json:"code"`
	Reason   string    `json:"reason"`
	// Place is the place in the flow that it is about, with carets; several lines, and
	// empty if it is about none.
	Place string `json:"place,omitempty"`
	// Headers and Body are only of runs that show their data.
	Headers map[string][]string `json:"headers,omitempty"`
	Body    []byte              `json:"body,omitempty"`
	Cut     int                 `json:"cut,omitempty"` // bytes of the body that are left out
}

// How much a run keeps of its dead letters.
const (
	DeadLetters = 100
	MaxBody     = 8 << 10 // bytes of each body
)
