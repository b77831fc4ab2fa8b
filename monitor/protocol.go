package monitor

import (
	"errors"
	"fmt"
)

// ServiceName is the name by which runs are found: nats service ls.
const ServiceName = "flow"

// The endpoints of a run, each on a subject of its own. The first token keeps them
// out of streams that capture what flows write.
const (
	snapshotEndpoint = "snapshot"
	epochsEndpoint   = "epochs"
	deadEndpoint     = "dead"
	controlEndpoint  = "control"

	subjectPrefix = "$FLOW"
)

func subjectOf(id, endpoint string) string { return subjectPrefix + "." + id + "." + endpoint }

// The keys of the service's metadata.
const (
	metaID        = "run"
	metaNamespace = "namespace"
	metaFlow      = "flow"
	metaHost      = "host"
	metaPID       = "pid"
	metaStarted   = "started"
)

// snapshotRequest says what of a snapshot is not needed. The empty request is for
// all of it.
type snapshotRequest struct {
	Brief bool `json:"brief,omitempty"` // the numbers only, as a list of runs shows them
}

// EpochsRequest asks for the marks of certified epochs, as the ledger holds them.
type EpochsRequest struct {
	Before uint64 `json:"before,omitempty"` // only epochs below this number; 0 is the newest
	Last   int    `json:"last"`             // how many; at most MaxEpochs
}

// MaxEpochs is how many marks one answer holds.
const MaxEpochs = 100

// Command is what a person asks a run to do.
type Command string

// The commands.
const (
	Pause  Command = "pause"  // read nothing more, and keep the flow
	Resume Command = "resume" // read on
	Stop   Command = "stop"   // certify and acknowledge the open epoch, and end
)

type controlRequest struct {
	Command Command `json:"command"`
}

type controlAnswer struct {
	State State `json:"state"`
}

// Codes of refusals.
const (
	BadRequest = "400"
	Forbidden  = "403" // the run was not started so that it may
	Failure    = "500"
)

// Refusal is a run's answer that it does not do as asked.
type Refusal struct {
	Code string
	Text string
}

func (r *Refusal) Error() string { return r.Text }

func refusef(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

// ErrGone says that nothing answers for a run: it has ended, or is not connected.
var ErrGone = errors.New("the run does not answer: it has ended, or has lost its connection")
