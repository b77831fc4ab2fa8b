package viewer

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/flowlang/flow/monitor"
	"github.com/nats-io/nats.go"
)

// Remote finds the runs of a NATS account.
type Remote struct {
	nc     *nats.Conn
	client *monitor.Client

	found []monitor.Listed
	when  time.Time // when they were found
	lost  time.Time // since when the server does not answer; zero if it does
}

// NewRemote asks over a connection, which stays the caller's.
func NewRemote(nc *nats.Conn) *Remote { return &Remote{nc: nc, client: monitor.NewClient(nc)} }

const (
	// findEvery is how often runs are looked for, and lookTimeout how long one look
	// may take.
	findEvery   = 2 * time.Second
	lookTimeout = 3 * time.Second
	// atOnce is how many runs are asked at a time.
	atOnce = 16
)

// Look implements Source.
func (r *Remote) Look(ctx context.Context, focus string) ([]monitor.Snapshot, error) {
	if !r.nc.IsConnected() {
		return nil, r.disconnected()
	}
	r.lost = time.Time{}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if time.Since(r.when) > findEvery {
		found, err := r.client.Runs(ctx)
		if err != nil {
			return nil, err
		}
		r.found, r.when = found, time.Now()
	}
	return r.ask(ctx, focus), nil
}

func (r *Remote) disconnected() error {
	if r.lost.IsZero() {
		r.lost = time.Now()
	}
	r.when = time.Time{} // who is there is asked anew
	return fmt.Errorf("disconnected from %s for %s; reconnecting", r.nc.Opts.Url, age(time.Since(r.lost)))
}

// ask asks all runs. One that does not answer is left out, and grows old on the screen.
func (r *Remote) ask(ctx context.Context, focus string) []monitor.Snapshot {
	var mu sync.Mutex
	var all []monitor.Snapshot
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for _, run := range r.found {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			ask := r.client.Brief
			if run.ID == focus {
				ask = r.client.Snapshot
			}
			s, err := ask(ctx, run.ID)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, *s)
		})
	}
	group.Wait()
	return all
}

// Dead implements Source.
func (r *Remote) Dead(ctx context.Context, id string) ([]monitor.DeadLetter, error) {
	letters, _, err := r.client.Dead(ctx, id)
	return letters, err
}

// Epoch implements Source.
func (r *Remote) Epoch(ctx context.Context, id string, number uint64) (monitor.Mark, error) {
	marks, _, err := r.client.Epochs(ctx, id, monitor.EpochsRequest{Before: number + 1, Last: 1})
	return only(marks, number, err)
}

// Control implements Source.
func (r *Remote) Control(ctx context.Context, id string, command monitor.Command) (monitor.State, error) {
	return r.client.Control(ctx, id, command)
}

// only is the mark of one epoch.
func only(marks []monitor.Mark, number uint64, err error) (monitor.Mark, error) {
	switch {
	case err != nil:
		return monitor.Mark{}, err
	case len(marks) == 0 || marks[0].Number != number:
		return monitor.Mark{}, fmt.Errorf("the ledger has no certificate of epoch %d", number)
	}
	return marks[0], nil
}
