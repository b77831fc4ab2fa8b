package record

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/planner"
)

// About is what a run is, besides its flow.
type About struct {
	File    string // where the flow stands
	Version string // of the program
	Data    bool   // message bodies may be shown
	// Phase is told how long each phase of a certified epoch took, in seconds; it may be
	// nil. It must not block.
	Phase func(phase string, seconds float64)
	// Stop ends the run as Options.Stop does; nil if the run takes no commands.
	Stop func()
}

// Recorder follows one run. It is safe for concurrent use.
type Recorder struct {
	flow   *planner.Flow
	about  About
	handle *exec.Handle
	index  map[string]int // of each resource

	mu        sync.Mutex
	run       monitor.Run
	totals    monitor.Totals // what the executor does not count
	resources []monitor.Resource
	marks     *ring[mark]
	moved     *ring[moved]
	lines     *ring[monitor.Line]
	dead      *ring[letter]
	failures  map[uint64]bool // epochs that failed and are not certified since
	usual     time.Duration   // that an epoch takes, without reading
	certified time.Time
	ledger    connectors.Ledger // nil before the admission
	over      bool
}

// New follows the run of a flow: give Attach its options, and tell Ended at the end.
func New(flow *planner.Flow, about About) *Recorder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	r := &Recorder{flow: flow, about: about, handle: exec.NewHandle(), index: map[string]int{}, failures: map[uint64]bool{},
		marks: newRing[mark](monitor.RecentEpochs), moved: newRing[moved](movedEpochs), lines: newRing[monitor.Line](monitor.LogLines), dead: newRing[letter](monitor.DeadLetters)}
	for i, name := range flow.Resources() {
		r.index[name] = i
		r.resources = append(r.resources, monitor.Resource{Name: name})
	}
	r.totals.Outcomes, r.totals.Reasons = map[monitor.Outcome]uint64{}, map[string]uint64{}
	r.run = monitor.Run{
		ID: strings.ToLower(rand.Text()[:10]), Namespace: flow.Namespace, Flow: flow.Flow, File: about.File, Host: host, PID: os.Getpid(),
		Version: about.Version, Started: time.Now().UTC(), Guarantee: flow.Guarantee(), Plan: planOf(flow), Control: about.Stop != nil, Data: about.Data,
	}
	return r
}

func planOf(flow *planner.Flow) string {
	var b strings.Builder
	_ = (&planner.Plan{Flows: []*planner.Flow{flow}}).WriteText(&b) // a builder takes everything
	return b.String()
}

// Attach adds the recorder to the options of its run. Events go on to who wanted them
// before.
func (r *Recorder) Attach(options exec.Options) exec.Options {
	next := options.OnEvent
	options.Handle = r.handle
	options.OnEvent = func(e exec.Event) {
		r.event(e)
		if next != nil {
			next(e)
		}
	}
	return options
}

// ID tells the run from all others.
func (r *Recorder) ID() string { return r.run.ID }

// Ended says that the run is over.
func (r *Recorder) Ended() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

func (r *Recorder) event(e exec.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Kind {
	case exec.Connected:
		r.run.Server = e.Text
	case exec.Admitted:
		r.ledger = e.Ledger
	case exec.Certified:
		r.certify(e)
	case exec.Retrying:
		r.failed(e)
	}
}

// State implements monitor.Observed.
func (r *Recorder) State() monitor.State {
	state, _ := r.state(r.handle.Status())
	return state
}

// state is the run's state, and why it is so. A fed flow that finds nothing to read yet
// fails and begins again.
func (r *Recorder) state(s exec.Status) (monitor.State, string) {
	r.mu.Lock()
	over := r.over
	r.mu.Unlock()
	reason := ""
	if s.Err != nil {
		reason = s.Err.Error()
	}
	if !over && (s.State == exec.IsFailed || s.State == exec.IsEnded) {
		return monitor.Starting, reason
	}
	return monitor.State(s.State.String()), reason
}

// Control implements monitor.Observed.
func (r *Recorder) Control(command monitor.Command) error {
	if r.about.Stop == nil {
		return &monitor.Refusal{Code: monitor.Forbidden, Text: "this run takes no commands: start it with flowc run --allow-control"}
	}
	switch command {
	case monitor.Pause:
		r.handle.Pause()
	case monitor.Resume:
		r.handle.Resume()
	case monitor.Stop:
		r.about.Stop()
	default:
		return &monitor.Refusal{Code: monitor.BadRequest, Text: "a run knows the commands pause, resume and stop"}
	}
	return nil
}

// Epochs implements monitor.Observed.
func (r *Recorder) Epochs(ctx context.Context, request monitor.EpochsRequest) ([]monitor.Mark, error) {
	r.mu.Lock()
	ledger := r.ledger
	r.mu.Unlock()
	if ledger == nil {
		return nil, &monitor.Refusal{Code: monitor.BadRequest, Text: "the run has not opened its ledger yet"}
	}
	var marks []monitor.Mark
	for entry, err := range exec.History(ctx, ledger) {
		if err != nil && len(marks) > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			break // so many could be read in time
		}
		if err != nil {
			return nil, err
		}
		if entry.Epoch == nil || request.Before > 0 && entry.State.Epoch >= request.Before {
			continue
		}
		if marks = append(marks, markOf(entry)); len(marks) == request.Last {
			break
		}
	}
	return marks, nil
}

// Dead implements monitor.Observed.
func (r *Recorder) Dead() []monitor.DeadLetter {
	r.mu.Lock()
	kept := slices.Clone(r.dead.all())
	r.mu.Unlock()
	letters := make([]monitor.DeadLetter, len(kept))
	for i, l := range kept {
		letters[i] = l.shown()
	}
	return letters
}
