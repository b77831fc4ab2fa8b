package connectors

import "context"

// Level says how bad a finding is.
type Level string

// The levels.
const (
	Good    Level = "ok"
	Warned  Level = "warning"
	Failing Level = "error"
)

// Finding is what was found of one thing at the other end of a connection, and how
// that is for the flow. Its texts are for a person.
type Finding struct {
	Level    Level  `json:"level"`
	What     string `json:"what"`               // such as "account", "source", "ledger"
	Where    string `json:"where"`              // such as "stream ORDERS"
	Found    string `json:"found"`              // as it is
	Expected string `json:"expected,omitempty"` // what would be good; empty if it is
	Help     string `json:"help,omitempty"`     // what to do
	Err      error  `json:"-"`                  // of Failing, if it is that of a run
}

// Depth is how well a stream keeps what it was given.
type Depth struct {
	Stream   string
	Replicas int
	Message  int64 // the most bytes of one message with its headers
}

// Examination is what was found, and the streams that were looked at.
type Examination struct {
	Findings []Finding
	Depths   []Depth
}

// Add adds a finding.
func (e *Examination) Add(f Finding) { e.Findings = append(e.Findings, f) }

// Examiner is a Connection whose other end can be examined for what a flow does
// there. Nothing is changed, there or in what the connection opens. Its sources and
// sinks are SourceExaminers and SinkExaminers.
type Examiner interface {
	// Examine looks at the account, at what its user is allowed, at the ledger and at
	// where dead letters go. Without sources in the use there is no ledger.
	Examine(ctx context.Context, use Use) Examination
}

// SourceExaminer is a Source that says what it would read, and through what.
type SourceExaminer interface {
	// Examine takes what the ledger holds of the flow: the name of its records, empty
	// if it has none, and where the streams are certified.
	Examine(ctx context.Context, records string, from []Position) Examination
}

// SinkExaminer is a Sink that says what it would write to.
type SinkExaminer interface {
	Examine(ctx context.Context) Examination
}
