package connectors

// Remains is what a flow left at the other end of the connection that keeps its
// ledger, besides the data that it wrote.
type Remains struct {
	Readers []Reader `json:"readers"`
	Chains  []Chain  `json:"chains"` // of the ledger, by name
	// Markers are those by which rows are written exactly once.
	Markers []MarkedPlace `json:"markers,omitempty"`
}

// Empty says whether nothing is left.
func (r Remains) Empty() bool {
	return len(r.Readers) == 0 && len(r.Chains) == 0 && len(r.Markers) == 0
}

// InUse is a reader through which somebody waits for messages right now. That there
// is none proves nothing: who has the hands full waits for no more.
func (r Remains) InUse() (Reader, bool) {
	for _, reader := range r.Readers {
		if reader.InUse {
			return reader, true
		}
	}
	return Reader{}, false
}

// Reader is what the other end keeps of the flow's reading, such as a durable
// consumer of a stream.
type Reader struct {
	Stream string `json:"stream"`
	Name   string `json:"name"`
	Unread uint64 `json:"unread"`           // messages that are not acknowledged
	InUse  bool   `json:"in_use,omitempty"` // somebody waits for messages through it
	// Kept says why it is not removed; empty if it is.
	Kept string `json:"kept,omitempty"`
}

// Chain is a chain of the flow's ledger.
type Chain struct {
	Name    string `json:"name"`
	Entries uint64 `json:"entries"`
}
