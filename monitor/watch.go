package monitor

import (
	"context"
	"time"
)

// Seen is what a watch knows of a run.
type Seen struct {
	Snapshot *Snapshot // the newest one that came; nil before the first
	Received time.Time // when it came, by the clock of whoever watches
	Err      error     // why the last try brought none; nil if it brought one
}

// Stale says whether the snapshot is older than it would be if the run answered:
// after three intervals, and at least after three seconds.
func (s Seen) Stale(now time.Time, interval time.Duration) bool {
	return s.Snapshot == nil || now.Sub(s.Received) > max(3*interval, 3*time.Second)
}

// Watch asks a run for its snapshot at an interval, until the context ends; then the
// channel is closed. Each try sends one Seen, and what nobody took is replaced by the
// next one. The plan is asked for once.
func (c *Client) Watch(ctx context.Context, id string, interval time.Duration) <-chan Seen {
	seen := make(chan Seen, 1)
	go func() {
		defer close(seen)
		tick := time.NewTicker(interval)
		defer tick.Stop()
		var now Seen
		for {
			now = c.look(ctx, id, now)
			select {
			case <-seen:
			default:
			}
			seen <- now
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return seen
}

// look tries once.
func (c *Client) look(ctx context.Context, id string, before Seen) Seen {
	known := before.Snapshot != nil
	snapshot, err := c.snapshot(ctx, id, snapshotRequest{NoPlan: known})
	if err != nil {
		before.Err = err
		return before
	}
	if known {
		snapshot.Run.Plan = before.Snapshot.Run.Plan
	}
	return Seen{Snapshot: snapshot, Received: time.Now()}
}
