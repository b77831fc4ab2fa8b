package exec

import (
	"context"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
)

// Handle is how a run is seen and held from outside while it goes on. It is made by
// NewHandle, given to one run in its Options, and safe for concurrent use.
type Handle struct {
	mu      sync.Mutex
	machine *machine // nil before the run
	paused  bool
	stopped bool
	closing chan struct{} // closed while the open epoch is to be closed, and no other one opened
	resumed chan struct{} // closed by Resume
}

// NewHandle makes the handle of a run.
func NewHandle() *Handle { return &Handle{closing: make(chan struct{})} }

// Pause closes the open epoch at once. Once it is certified and acknowledged nothing
// more is read until Resume; the flow stays this run's, and what it has in hand is
// kept for it.
func (h *Handle) Pause() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.paused {
		return
	}
	h.paused, h.resumed = true, make(chan struct{})
	if !h.stopped {
		close(h.closing)
	}
}

// Resume ends a pause.
func (h *Handle) Resume() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.paused {
		return
	}
	h.paused = false
	close(h.resumed)
	if !h.stopped {
		h.closing = make(chan struct{})
	}
}

// stop closes the open epoch for good.
func (h *Handle) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.stopped && !h.paused {
		close(h.closing)
	}
	h.stopped = true
}

// pausing says whether nothing more is to be read now, and what ends that.
func (h *Handle) pausing() (bool, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.paused, h.resumed
}

func (h *Handle) close() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closing
}

func (h *Handle) attach(m *machine) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.machine = m
}

// Status is the run as it is now.
func (h *Handle) Status() Status {
	h.mu.Lock()
	m := h.machine
	h.mu.Unlock()
	if m == nil {
		return Status{}
	}
	return m.status()
}

// RunState is what a run does, in one word.
type RunState uint8

// The states of a run.
const (
	IsStarting RunState = iota // connecting, checking, claiming
	IsStandby                  // another process runs the flow, and this one waits to take over
	IsRunning
	IsWaiting  // an epoch failed, and is tried again
	IsPaused   // nothing is read until Resume
	IsDraining // it ends once the open epoch is certified
	IsBlocked  // as IsWaiting, and something may still be written of what failed
	IsFailed   // it has ended with an error
	IsEnded    // it has ended
)

var stateNames = [...]string{"starting", "standby", "running", "waiting", "paused", "draining", "blocked", "failed", "ended"}

func (s RunState) String() string { return stateNames[s] }

// Status is a run at one moment.
type Status struct {
	State    RunState
	Err      error // why it waits, is blocked or has failed
	Epoch    uint64
	Phase    Phase
	Since    time.Time             // when the phase began
	Messages int                   // of the epoch; 0 as long as it is read
	Spent    [phases]time.Duration // on the epoch so far
	Ahead    Phase                 // of the epoch behind it, if Reads
	Reads    bool                  // the epoch behind it is read meanwhile
	Elapsed  time.Duration         // since the run began: the sum of Totals.Time
	Rested   time.Time             // when it last had nothing to read, or was paused; zero if it never had
	// Connected says that the link is up over which the run reads.
	Connected bool
	Totals    Totals
	Sinks     []connectors.SinkStats // in the flow's order
	Waited    connectors.Waited      // of all sinks that the run opened, as a part of Applying
}

// shown is what a handle shows of a machine, besides its clock and counts.
type shown struct {
	epoch    uint64
	messages int
	ahead    bool
	conn     connectors.Connection // over which the run reads; nil before it is open
	admitted bool
	standby  bool
	paused   bool
	failing  bool // since a failure, until recovery
	unproven bool // since a sink was closed that may still write, until recovery
	over     bool
	err      error
	waited   connectors.Waited // of sinks that are closed
}

// state is the one place that says what a run does.
func (s *shown) state(stopping bool) RunState {
	switch {
	case s.over && s.err != nil:
		return IsFailed
	case s.over:
		return IsEnded
	case stopping:
		return IsDraining
	case s.unproven:
		return IsBlocked
	case s.failing:
		return IsWaiting
	case s.paused:
		return IsPaused
	case s.standby:
		return IsStandby
	case !s.admitted:
		return IsStarting
	}
	return IsRunning
}

// show changes what a handle shows.
func (m *machine) show(change func(*shown)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.shown)
}

// atOnce is over: whoever waits with it only looks.
var atOnce = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

func (m *machine) status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := Status{State: m.shown.state(m.stopping()), Err: m.shown.err, Epoch: m.shown.epoch, Messages: m.shown.messages,
		Totals: m.total(), Waited: m.shown.waited}
	s.Totals.Time, s.Elapsed = m.clock.soFar()
	s.Phase, s.Since, s.Spent, s.Ahead = m.clock.now()
	s.Reads, s.Rested = m.shown.ahead, m.clock.lastRest()
	s.Connected = m.shown.conn != nil && !m.shown.over && m.shown.conn.Await(atOnce) == nil
	for _, sink := range m.sinks {
		var stats connectors.SinkStats
		if sink != nil {
			stats = sink.Stats()
			s.Waited = s.Waited.Add(stats.Waited)
		}
		s.Sinks = append(s.Sinks, stats)
	}
	return s
}
