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

	server string // where it is connected to, or was
	found  []monitor.Listed
	when   time.Time // when they were found
	lost   time.Time // since when the server does not answer; zero if it does
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
	return r.look(ctx, func(l monitor.Listed) want {
		if l.ID == focus {
			return full
		}
		return numbers
	})
}

// LookFull returns a full snapshot of each run of a flow; of all runs if it is empty.
func (r *Remote) LookFull(ctx context.Context, flow string) ([]monitor.Snapshot, error) {
	return r.look(ctx, func(l monitor.Listed) want {
		if flow == "" || l.Flow == flow {
			return full
		}
		return nothing
	})
}

// want is how much of a run is asked for.
type want uint8

const (
	nothing want = iota
	numbers
	full
)

func (r *Remote) look(ctx context.Context, wanted func(monitor.Listed) want) ([]monitor.Snapshot, error) {
	if !r.nc.IsConnected() {
		return nil, r.disconnected()
	}
	r.lost, r.server = time.Time{}, r.nc.ConnectedUrlRedacted()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	if len(r.found) == 0 || time.Since(r.when) > findEvery {
		found, err := r.client.Runs(ctx)
		if err != nil {
			return nil, err
		}
		r.found, r.when = found, time.Now()
	}
	return r.ask(ctx, wanted), nil
}

func (r *Remote) disconnected() error {
	if r.lost.IsZero() {
		r.lost = time.Now()
	}
	r.when = time.Time{} // who is there is asked anew
	return fmt.Errorf("disconnected from %s for %s; reconnecting", r.server, age(time.Since(r.lost)))
}

// ask asks all runs. One that does not answer is left out, and grows old on the screen.
func (r *Remote) ask(ctx context.Context, wanted func(monitor.Listed) want) []monitor.Snapshot {
	answers := make([]*monitor.Snapshot, len(r.found))
	var group sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for i, run := range r.found {
		ask := r.client.Brief
		switch wanted(run) {
		case full:
			ask = r.client.Snapshot
		case nothing:
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if s, err := ask(ctx, run.ID); err == nil {
				answers[i] = s
			}
		})
	}
	group.Wait()
	var all []monitor.Snapshot
	for _, s := range answers {
		if s != nil {
			all = append(all, *s)
		}
	}
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
