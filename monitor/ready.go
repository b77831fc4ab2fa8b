package monitor

import (
	"fmt"
	"time"
)

// Unready says why a run does not do its work; it is empty if it does. One that waits
// for messages, for its turn or for a person is ready. Bound is how long a run that has
// something to read may take to certify it.
func (s Snapshot) Unready(bound time.Duration) string {
	switch s.State {
	case Standby, Paused, Ended:
		return ""
	case Running:
	default:
		if s.Reason == "" {
			return string(s.State)
		}
		return fmt.Sprintf("%s: %s", s.State, s.Reason)
	}
	if !s.Connected {
		return "disconnected from the NATS server, reconnecting"
	}
	since := s.Run.Started
	for _, t := range []time.Time{s.Rested, s.LastCertified} {
		if t.After(since) {
			since = t
		}
	}
	if waited := s.Taken.Sub(since); waited > bound {
		return fmt.Sprintf("nothing was certified for %s, and there is something to read", waited.Round(time.Second))
	}
	return ""
}
