package record

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/planner"
)

// Snapshot implements monitor.Observed.
func (r *Recorder) Snapshot() monitor.Snapshot {
	status := r.handle.Status() // before the mutex, which the run's own events take
	now := time.Now()
	s := monitor.Snapshot{
		Taken: now.UTC(), Epoch: open(status), InFlight: window(status.Totals.InFlight, status.Totals.Limits), Sinks: r.sinks(status),
		Elapsed: status.Elapsed.Seconds(), Causes: causes(status), Rested: status.Rested.UTC(), Connected: status.Connected,
	}
	s.State, s.Reason = r.state(status)
	s.Sources, s.Lag = sources(status.Totals.Sources, now)

	r.mu.Lock()
	defer r.mu.Unlock()
	s.Run, s.Totals, s.Rate, s.LastCertified = r.run, r.total(status.Totals), r.rate(now), r.certified.UTC()
	s.Resources, s.Log = slices.Clone(r.resources), slices.Clone(r.lines.all())
	for _, m := range r.marks.all() {
		s.Recent = append(s.Recent, m.shown())
	}
	return s
}

// open is the epoch that is written, else the one that is read.
func open(s exec.Status) monitor.Epoch {
	e := monitor.Epoch{Number: s.Epoch, Phase: s.Phase.String(), Since: s.Since.UTC(), Messages: s.Messages, Phases: phases(s.Spent[:])}
	if s.Reads {
		e.Ahead = s.Ahead.String()
	}
	return e
}

func window(in, limits connectors.Limits) monitor.Window {
	return monitor.Window{Messages: in.Messages, MessagesLimit: limits.Messages, Bytes: in.Bytes, BytesLimit: limits.Bytes}
}

func (r *Recorder) sinks(s exec.Status) []monitor.Sink {
	var all []monitor.Sink
	for i, stats := range s.Sinks {
		all = append(all, monitor.Sink{To: destination(r.flow.Sinks[i]), InFlight: window(stats.InFlight, stats.Limits)})
	}
	return all
}

// destination is where a sink writes, as the flow says it: its templates.
func destination(s *planner.Sink) string {
	var parts []string
	for _, field := range s.Connection.Kind.Sink {
		if field.Template {
			if text := s.Spec.Settings.Template(field.Key).Text; text != "" {
				parts = append(parts, text)
			}
		}
	}
	return strings.Join(parts, " ")
}

// sources are the streams that are read, and the lag of them all.
func sources(streams []connectors.StreamStats, now time.Time) ([]monitor.Source, monitor.Lag) {
	var all []monitor.Source
	whole := monitor.Lag{Loss: connectors.NoLoss.Seconds()}
	for _, s := range streams {
		lag := monitor.Lag{Messages: s.Lag, Loss: s.Loss.Seconds()}
		if !s.Oldest.IsZero() {
			lag.Seconds = max(0, now.Sub(s.Oldest).Seconds())
		}
		all = append(all, monitor.Source{Stream: s.Stream, Consumer: s.Consumer, Last: s.Certified, Lag: lag})
		whole.Messages += lag.Messages
		whole.Seconds = max(whole.Seconds, lag.Seconds)
		if lag.Loss >= 0 && (whole.Loss < 0 || lag.Loss < whole.Loss) {
			whole.Loss = lag.Loss
		}
	}
	return all, whole
}

// causes divide the run's time. What a sink waited is a part of applying, or of
// committing where an epoch is written at once; the moment between the two measurements
// is taken from it.
func causes(s exec.Status) []monitor.Cause {
	t := s.Totals.Time
	applying, committing := t[exec.Applying], t[exec.Committing]
	take := func(waited time.Duration) time.Duration {
		first := min(waited, applying)
		rest := min(waited-first, committing)
		applying, committing = applying-first, committing-rest
		return first + rest
	}
	messages, bytes, acks := take(s.Waited.Messages), take(s.Waited.Bytes), take(s.Waited.Acks)
	all := []monitor.Cause{
		{Name: monitor.CauseIdle, Seconds: t[exec.Idling].Seconds()},
		{Name: monitor.CauseRead, Seconds: t[exec.Reading].Seconds()},
		{Name: monitor.CauseDecode, Seconds: t[exec.Decoding].Seconds()},
		{Name: monitor.CauseTransform, Seconds: t[exec.Transforming].Seconds()},
		{Name: monitor.CausePublish, Seconds: applying.Seconds()},
		{Name: monitor.CauseWindowMessages, Seconds: messages.Seconds()},
		{Name: monitor.CauseWindowBytes, Seconds: bytes.Seconds()},
		{Name: monitor.CauseAcks, Seconds: acks.Seconds()},
		{Name: monitor.CauseCommit, Seconds: committing.Seconds()},
		{Name: monitor.CauseCertify, Seconds: t[exec.Certifying].Seconds()},
		{Name: monitor.CauseAck, Seconds: t[exec.Acknowledging].Seconds()},
		{Name: monitor.CauseRecover, Seconds: t[exec.Recovering].Seconds()},
		{Name: monitor.CauseWait, Seconds: t[exec.Waiting].Seconds()},
		{Name: monitor.CausePause, Seconds: t[exec.Pausing].Seconds()},
		{Name: monitor.CauseStandby, Seconds: t[exec.StandingBy].Seconds()},
	}
	return all
}

// total adds what the executor counted to what the recorder did.
func (r *Recorder) total(t exec.Totals) monitor.Totals {
	all := r.totals
	all.Outcomes, all.Reasons = maps.Clone(all.Outcomes), maps.Clone(all.Reasons)
	all.Epochs, all.In, all.Out, all.Bytes = t.Epochs, t.Read, t.Written, t.Bytes
	all.Dropped, all.Duplicates, all.Redelivered = t.Dropped, t.Duplicates, t.Redelivered
	switch r.flow.BadRow {
	case planner.SkipBadRows:
		all.Skipped = t.Bad
	case planner.KeepBadRows:
		all.Dead = t.Bad
	}
	return all
}

// rate is taken from the last epoch before the window to the newest one, over the time
// since: without new epochs it falls.
func (r *Recorder) rate(now time.Time) monitor.Rate {
	all := r.moved.all()
	if len(all) == 0 {
		return monitor.Rate{}
	}
	first := moved{at: r.run.Started}
	for _, m := range all {
		if now.Sub(m.at) < monitor.RateWindow {
			break
		}
		first = m
	}
	last := all[len(all)-1]
	// An epoch counts for the time from the one before it, and at least for a second.
	seconds := math.Max(1, math.Min(now.Sub(first.at).Seconds(), monitor.RateWindow.Seconds()))
	return monitor.Rate{In: float64(last.in-first.in) / seconds, Out: float64(last.out-first.out) / seconds, Bytes: float64(last.bytes-first.bytes) / seconds}
}
