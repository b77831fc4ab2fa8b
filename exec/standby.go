package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/flowlang/flow/connectors"
)

// How a standby waits for its turn.
const (
	// turnInterval is how often it asks whether the source is vacant.
	turnInterval = 150 * time.Millisecond
	// vacantFor is how long that must be so: a pull may be on its way.
	vacantFor = 2 * turnInterval
	// lostSight is how long it must be so after the other end was out of sight: the
	// owner may be on its way back as well.
	lostSight = 3 * time.Second
	// startGrace is what an owner may take from its claim to its first pull.
	startGrace = 3 * time.Second
	// recordInterval is how often a standby makes sure that the owner runs the same flow.
	recordInterval = 5 * time.Second
	// drainLimit is how long a process that replaces another one waits for it to stop.
	drainLimit = ownerInterval + time.Second/2
)

var (
	// errHeld says that another process owns the flow, and errBegins that it does not
	// show yet whether it is there.
	errHeld   = errors.New("the flow is run by another process")
	errBegins = fmt.Errorf("%w, which has begun just now", errHeld)
)

// mayClaim says whether this process may claim the flow whose newest record is last, nil
// if there is none. It fails with errHeld where it has to wait, and refuses a flow
// that differs from what an owner which is there runs.
func (m *machine) mayClaim(ctx context.Context, last *Record) error {
	if last == nil || m.options.Replace || last.Owner.ID == m.chain.owner.ID || last.Owner.gone() {
		return nil
	}
	tenure, err := m.source.Held(ctx)
	switch {
	case err != nil:
		return err
	case tenure == connectors.TenureUnknown:
		return nil // the newest takes over
	case tenure == connectors.Occupied && last.Fingerprint != m.flow.Fingerprint:
		if err := m.refuseOther(ctx, last.Owner); err != nil {
			return err
		}
		return errHeld
	case tenure == connectors.Occupied:
		return errHeld
	case last.Kind == ClaimRecord && m.begins(last):
		return errBegins
	}
	return nil
}

// sighting is a claim of another process, and since when this one knows it.
type sighting struct {
	owner   string
	attempt uint64
	since   time.Time
}

// begins says whether a claim is so young that its owner may not show yet. The owner's
// clock may be wrong: who has waited for long enough waits no more.
func (m *machine) begins(claim *Record) bool {
	if m.claimed.owner != claim.Owner.ID || m.claimed.attempt != claim.Attempt {
		m.claimed = sighting{claim.Owner.ID, claim.Attempt, time.Now()}
	}
	return time.Since(claim.Written) < startGrace && time.Since(m.claimed.since) < startGrace
}

// standBy waits until the flow's owner is gone, and takes the flow over. It holds
// nothing but its connections, and changes nothing at the other end.
func (m *machine) standBy(ctx context.Context) error {
	m.closeSinks()
	m.clock.write(StandingBy)
	w := watch{machine: m}
	for {
		if err := w.wait(ctx); err != nil {
			return err
		}
		err := m.enter(ctx)
		if errors.Is(err, errHeld) {
			m.closeSinks()
			continue
		}
		if connectors.Retryable(err) {
			w.complain(err)
			m.closeSinks()
			if err := pause(ctx, time.Second); err != nil {
				return err
			}
			continue
		}
		if err == nil && w.owner.ID != "" {
			m.emit(Event{Kind: TookOver, Epoch: m.chain.state.Epoch, Owner: w.owner})
		}
		return err
	}
}

// closeSinks lets go of the destinations. Where the run goes on, openSinks opens them again.
func (m *machine) closeSinks() {
	for i, sink := range m.sinks {
		if sink != nil {
			_ = m.sinkFailed(i, nil)
		}
	}
}

// watch is what a standby knows of the owner.
type watch struct {
	machine *machine
	owner   Owner     // as told; the zero one before
	vacant  time.Time // since when the source is; zero if it is not
	lost    time.Time // when the other end did not answer last
	looked  time.Time // when the newest record was read
	last    *Record
	failed  string // why the last try to take over failed, as told
}

// complain tells of a failure to take over that is tried again, once.
func (w *watch) complain(err error) {
	if text := err.Error(); text != w.failed {
		w.failed = text
		w.machine.notice(connectors.Notice{Warning: true, Text: "the flow could not be taken over, which is tried again", Attributes: []any{"error", text}})
	}
}

// wait returns once the owner seems to be gone.
func (w *watch) wait(ctx context.Context) error {
	w.vacant = time.Time{}
	tick := time.NewTicker(turnInterval)
	defer tick.Stop()
	for {
		free, err := w.look(ctx)
		if err != nil && !connectors.Retryable(err) || free {
			return err
		}
		if err != nil {
			w.lost, w.vacant = time.Now(), time.Time{}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// look asks once. What the owner runs is read anew now and then, and before its end
// is believed.
func (w *watch) look(ctx context.Context) (free bool, err error) {
	m := w.machine
	if time.Since(w.looked) > recordInterval || !w.vacant.IsZero() {
		if err := w.read(ctx); err != nil {
			return false, err
		}
	}
	if w.last == nil || w.last.Owner.gone() {
		return true, nil
	}
	err = m.mayClaim(ctx, w.last)
	switch {
	case errors.Is(err, errBegins):
		w.vacant, w.looked = time.Time{}, time.Time{}
		return false, nil
	case errors.Is(err, errHeld):
		w.vacant = time.Time{}
		w.tell()
		return false, nil
	case err != nil:
		return false, err
	case w.vacant.IsZero():
		w.vacant = time.Now()
		return false, nil
	}
	long := vacantFor
	if time.Since(w.lost) < lostSight {
		long = lostSight
	}
	return time.Since(w.vacant) >= long, nil
}

func (w *watch) read(ctx context.Context) (err error) {
	w.last, _, err = w.machine.chain.readRecord(ctx)
	if err != nil {
		return err
	}
	w.looked = time.Now()
	if w.owner.ID != "" && w.last != nil && w.last.Fingerprint != w.machine.flow.Fingerprint {
		return w.machine.refuseOther(ctx, w.last.Owner) // taking over would bring an old program back
	}
	return nil
}

// tell says once whom this process stands by.
func (w *watch) tell() {
	if w.owner.ID == w.last.Owner.ID {
		return
	}
	w.owner = w.last.Owner
	w.machine.show(func(s *shown) { s.standby = true })
	w.machine.emit(Event{Kind: Standby, Epoch: w.last.State.Epoch, Owner: w.owner})
}

// drain waits until the owner that was replaced has let go, for a while: it stops
// once it sees the claim. Where that cannot be seen there is nothing to wait for.
func (m *machine) drain(ctx context.Context, former *Record) error {
	if former == nil || !m.options.Replace {
		return nil
	}
	tick := time.NewTicker(turnInterval)
	defer tick.Stop()
	for over := time.After(drainLimit); !former.Owner.gone(); {
		tenure, err := m.source.Held(ctx)
		if err != nil || tenure != connectors.Occupied {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return nil
		case <-tick.C:
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
