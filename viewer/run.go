package viewer

import (
	"slices"
	"time"

	"github.com/flowlang/flow/monitor"
)

const (
	// rateWindow is over how long rates, shares and trends are computed.
	rateWindow = monitor.RateWindow
	// staleAfter is how long a run may say nothing before what it said is old, and
	// goneAfter how long before it is taken to be gone.
	staleAfter = 3 * time.Second
	goneAfter  = 15 * time.Second
	// forgetAfter is how long a run that is gone is still listed.
	forgetAfter = 10 * time.Minute
)

// run is what the viewer knows of a run. It is not changed: next makes another one.
type run struct {
	monitor.Snapshot
	received time.Time                   // by the viewer's clock
	past     []monitor.Snapshot          // of the last rateWindow, the oldest first
	opened   map[string]monitor.Resource // as the viewer first saw them
	rates    rates
}

// rates are what changed within the window, besides what a snapshot says of itself.
type rates struct {
	known     bool               // there are two snapshots to compare
	resources map[string]float64 // what each of them read
	shares    []monitor.Cause    // where the time of the window went; Seconds are a part of 1
	trend     trend
}

// trend is how the lag changes.
type trend int8

const (
	steady trend = iota
	rising
	falling
)

func (t trend) String() string { return [...]string{"steady", "rising", "falling"}[t] }

// next is the run with one more snapshot, which came at a time.
func (r run) next(s monitor.Snapshot, received time.Time) run {
	if !r.received.IsZero() {
		past := append(slices.Clone(r.past), r.Snapshot)
		r.past = slices.DeleteFunc(past, func(p monitor.Snapshot) bool { return s.Taken.Sub(p.Taken) > rateWindow })
	}
	if r.opened == nil && len(s.Resources) > 0 {
		r.opened = byName(s.Resources)
	}
	r.Snapshot, r.received = s, received
	r.rates = ratesOf(r.past, s)
	return r
}

func byName(all []monitor.Resource) map[string]monitor.Resource {
	m := make(map[string]monitor.Resource, len(all))
	for _, r := range all {
		m[r.Name] = r
	}
	return m
}

func ratesOf(past []monitor.Snapshot, now monitor.Snapshot) rates {
	r := rates{shares: sharesOf(nil, now.Causes)}
	if len(past) == 0 {
		return r
	}
	then := past[0]
	took := now.Taken.Sub(then.Taken).Seconds()
	if took <= 0 {
		return r
	}
	r.known = true
	r.shares = sharesOf(then.Causes, now.Causes)
	r.trend = trendOf(then.Lag, now.Lag)
	r.resources = map[string]float64{}
	before := byName(then.Resources)
	for _, resource := range now.Resources {
		if old, ok := before[resource.Name]; ok {
			r.resources[resource.Name] = grown(old.In, resource.In) / took
		}
	}
	return r
}

func grown(before, now uint64) float64 {
	if now < before {
		return 0
	}
	return float64(now - before)
}

// sharesOf are the parts of the time between two budgets, the largest first. Where
// nothing passed between them the whole budget counts.
func sharesOf(before, now []monitor.Cause) []monitor.Cause {
	old := map[string]float64{}
	for _, c := range before {
		old[c.Name] = c.Seconds
	}
	var all float64
	shares := make([]monitor.Cause, 0, len(now))
	for _, c := range now {
		part := max(0, c.Seconds-old[c.Name])
		shares = append(shares, monitor.Cause{Name: c.Name, Seconds: part})
		all += part
	}
	if all <= 0 {
		if len(before) > 0 {
			return sharesOf(nil, now)
		}
		return nil
	}
	for i := range shares {
		shares[i].Seconds /= all
	}
	slices.SortStableFunc(shares, func(a, b monitor.Cause) int {
		switch {
		case a.Seconds > b.Seconds:
			return -1
		case a.Seconds < b.Seconds:
			return 1
		}
		return 0
	})
	return shares
}

// trendOf tells a change of more than a twentieth from what comes and goes.
func trendOf(then, now monitor.Lag) trend {
	a, b := float64(then.Messages), float64(now.Messages)
	switch {
	case b > a*1.05 && b-a >= 1:
		return rising
	case b < a*0.95 && a-b >= 1:
		return falling
	}
	return steady
}

// silent is how long ago the newest snapshot came.
func (r run) silent(now time.Time) time.Duration { return max(0, now.Sub(r.received)) }

// over says that the run has ended, and that nothing more is to come of it.
func (r run) over() bool { return r.State == monitor.Ended || r.State == monitor.Failed }

// shown is the run's state, or that it is not known any more.
func (r run) shown(now time.Time) monitor.State {
	switch {
	case r.over():
	case r.silent(now) > goneAfter:
		return gone
	case r.silent(now) > staleAfter:
		return stale
	}
	return r.State
}

// since is how long ago something was by the run's own clock, which need not be the
// viewer's.
func (r run) since(t, now time.Time) time.Duration {
	d := r.Taken.Sub(t)
	if !r.over() {
		d += r.silent(now)
	}
	return max(0, d)
}
