package monitor

import "time"

// State is what a run does, in one word.
type State string

// The states of a run.
const (
	Starting State = "starting" // connecting, checking, claiming
	Standby  State = "standby"  // another process runs the flow, and this one waits to take over
	Running  State = "running"
	Waiting  State = "waiting"  // an epoch failed, and is tried again
	Paused   State = "paused"   // by a person; nothing is read
	Draining State = "draining" // it stops once the open epoch is certified
	Blocked  State = "blocked"  // it is not proven that nothing more is written at the destination
	Failed   State = "failed"   // it has ended with an error
	Ended    State = "ended"    // it has ended, caught up or stopped
)

// Snapshot is a run at one moment: all that a viewer, the metrics or a program see
// of it. Counts are since the run began, times are in UTC and durations in seconds.
// It holds no message bodies and no secrets. Text in it may come from data, and is
// not yet fit for a terminal.
type Snapshot struct {
	Taken time.Time `json:"taken"`
	Run   Run       `json:"run"`
	State State     `json:"state"`
	// Reason says why the run waits, is blocked, paused or failed; empty otherwise.
	Reason string `json:"reason,omitempty"`

	Epoch    Epoch   `json:"epoch"`  // the open one
	Recent   []Mark  `json:"recent"` // the last epochs, the newest last; at most RecentEpochs
	Totals   Totals  `json:"totals"`
	Rate     Rate    `json:"rate"`
	InFlight Window  `json:"in_flight"` // of all sinks together
	Sinks    []Sink  `json:"sinks"`
	Elapsed  float64 `json:"elapsed"` // since the run began, the sum of Causes
	Causes   []Cause `json:"causes"`  // where the time went; exclusive, in a fixed order
	// Rested is when there was last nothing to read, or the run was paused; zero if
	// neither ever was.
	Rested    time.Time `json:"rested"`
	Connected bool      `json:"connected"` // to the server of the sources
	// Lag is how far the sources are ahead.
	Lag           Lag        `json:"lag"`
	Sources       []Source   `json:"sources"`
	Resources     []Resource `json:"resources"`
	LastCertified time.Time  `json:"last_certified"` // zero before the first certificate of this run
	Log           []Line     `json:"log"`            // the last lines, the newest last; at most LogLines
	// Cut says what is left out of this answer since it would be too large; empty if
	// nothing is.
	Cut string `json:"cut,omitempty"`
}

// How much a snapshot holds of what goes on for ever.
const (
	RecentEpochs = 120
	LogLines     = 100
)

// Run is what does not change while a run lasts.
type Run struct {
	ID        string    `json:"id"` // unique to one run
	Namespace string    `json:"namespace"`
	Flow      string    `json:"flow"`
	File      string    `json:"file"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Version   string    `json:"version"` // of flowc
	Started   time.Time `json:"started"`
	Server    string    `json:"server"`    // of the first source, without secrets
	Guarantee string    `json:"guarantee"` // "at least once" or "exactly once"
	Plan      string    `json:"plan"`      // as flowc plan prints it
	// Control says that the run takes commands, Data that it shows message bodies.
	Control bool `json:"control"`
	Data    bool `json:"data"`
}

// Epoch is the open epoch: the one that is written, else the one that is read.
type Epoch struct {
	Number   uint64    `json:"number"`
	Phase    string    `json:"phase"`
	Since    time.Time `json:"since"` // when the phase began
	Messages int       `json:"messages"`
	Phases   []Cause   `json:"phases"` // how long each of its phases took so far, in order
	// Ahead says what is done for the epoch behind it meanwhile; empty if nothing is.
	Ahead string `json:"ahead,omitempty"`
}

// Outcome is how an epoch ended.
type Outcome string

// The outcomes of an epoch.
const (
	OK          Outcome = "ok"
	Slow        Outcome = "slow"   // certified, and took more than twice the usual time
	Replay      Outcome = "replay" // certified at a later try than the first
	EpochFailed Outcome = "failed" // aborted
)

// Mark is an epoch that has ended.
type Mark struct {
	Number   uint64    `json:"number"`
	Outcome  Outcome   `json:"outcome"`
	Ended    time.Time `json:"ended"`
	Seconds  float64   `json:"seconds"` // from its first read to its end
	Messages int       `json:"messages"`
	Written  int       `json:"written"`
	Phases   []Cause   `json:"phases,omitempty"`
	Ranges   []Range   `json:"ranges,omitempty"`
	Receipts []Receipt `json:"receipts,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// Range is what an epoch read of a stream.
type Range struct {
	Stream  string `json:"stream"`
	First   uint64 `json:"first"`
	Last    uint64 `json:"last"`
	Records int    `json:"records"`
}

// Receipt is what a destination holds of an epoch.
type Receipt struct {
	Resource   string `json:"resource"`
	Stream     string `json:"stream"`
	Rows       int    `json:"rows"`
	Bytes      int64  `json:"bytes"`
	First      uint64 `json:"first"`
	Last       uint64 `json:"last"`
	CRC32C     uint32 `json:"crc32c"`
	Duplicates int    `json:"duplicates"`
}

// Totals are counts of messages since the run began.
type Totals struct {
	Epochs      uint64 `json:"epochs"`
	Failures    uint64 `json:"failures"` // epochs that were aborted
	In          uint64 `json:"in"`
	Out         uint64 `json:"out"`
	Bytes       uint64 `json:"bytes"` // of the bodies that were written
	Dropped     uint64 `json:"dropped"`
	Skipped     uint64 `json:"skipped"`
	Dead        uint64 `json:"dead"`
	Duplicates  uint64 `json:"duplicates"`
	Redelivered uint64 `json:"redelivered"`
	// Outcomes counts epochs by how they ended, and Reasons dead letters and skipped
	// rows by the code of their fault.
	Outcomes map[Outcome]uint64 `json:"outcomes"`
	Reasons  map[string]uint64  `json:"reasons,omitempty"`
}

// Rate is a second's share of what certified epochs moved in the last RateWindow.
type Rate struct {
	In    float64 `json:"in"`
	Out   float64 `json:"out"`
	Bytes float64 `json:"bytes"`
}

// RateWindow is the time over which a Rate is taken.
const RateWindow = 10 * time.Second

// Window is what waits for its acknowledgement, and the limits of that.
type Window struct {
	Messages      int64 `json:"messages"`
	MessagesLimit int64 `json:"messages_limit"`
	Bytes         int64 `json:"bytes"`
	BytesLimit    int64 `json:"bytes_limit"`
}

// Sink is one destination.
type Sink struct {
	To       string `json:"to"` // as written: stream and subject
	InFlight Window `json:"in_flight"`
}

// The causes to which a run's time goes, in their order.
const (
	CauseIdle           = "idle"            // there is nothing to read
	CauseRead           = "read"            // messages come in, and nothing is to be written
	CauseDecode         = "decode"          // as CauseRead
	CauseTransform      = "transform"       // as CauseRead
	CausePublish        = "publish"         // messages are made and sent
	CauseWindowMessages = "window_messages" // as many messages are in flight as may be
	CauseWindowBytes    = "window_bytes"    // as many bytes are in flight as may be
	CauseAcks           = "acks"            // all is sent, and not all of it acknowledged
	CauseCommit         = "commit"
	CauseCertify        = "certify"
	CauseAck            = "ack"     // the source is acknowledged
	CauseRecover        = "recover" // the run goes back to the last certified position
	CauseWait           = "wait"    // for the next try
	CausePause          = "pause"
	CauseStandby        = "standby"
)

// Cause is a part of the time.
type Cause struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// Lag is how far a source is ahead of what is certified.
type Lag struct {
	Messages uint64 `json:"messages"`
	// Seconds is the age of the oldest message that is not certified, as far as one is
	// in hand; 0 if none is.
	Seconds float64 `json:"seconds"`
	// Loss is how many seconds are left until the stream's limits remove messages
	// that are not certified; negative if none are to be removed, or none is in hand.
	Loss float64 `json:"loss"`
}

// Source is a stream that is read.
type Source struct {
	Stream   string `json:"stream"`
	Consumer string `json:"consumer"`
	Last     uint64 `json:"last"` // the last certified sequence
	Lag      Lag    `json:"lag"`
}

// Resource are the counts of one resource.
type Resource struct {
	Name    string `json:"name"`
	In      uint64 `json:"in"`
	Out     uint64 `json:"out"`
	Dropped uint64 `json:"dropped"`
	Dead    uint64 `json:"dead"`  // dead letters and skipped rows
	Bytes   uint64 `json:"bytes"` // of the bodies that were written
	Last    uint64 `json:"last"`  // its last sequence in the last destination stream that took it
}

// Line is one line of the run's log.
type Line struct {
	Time    time.Time `json:"time"`
	Warning bool      `json:"warning,omitempty"`
	Text    string    `json:"text"`
}
