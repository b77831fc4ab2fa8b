package viewer

import (
	"context"
	"errors"
	"slices"

	"github.com/flowlang/flow/monitor"
)

// Local are runs of this process.
type Local []monitor.Observed

var errUnknown = errors.New("the run is not there")

func (l Local) run(id string) (monitor.Observed, error) {
	for _, r := range l {
		if r.Snapshot().Run.ID == id {
			return r, nil
		}
	}
	return nil, errUnknown
}

// Look implements Source.
func (l Local) Look(_ context.Context, _ string) ([]monitor.Snapshot, error) {
	all := make([]monitor.Snapshot, len(l))
	for i, r := range l {
		all[i] = r.Snapshot()
	}
	return all, nil
}

// Dead implements Source.
func (l Local) Dead(_ context.Context, id string) ([]monitor.DeadLetter, error) {
	r, err := l.run(id)
	if err != nil {
		return nil, err
	}
	letters := slices.Clone(r.Dead())
	slices.Reverse(letters)
	return letters, nil
}

// Epoch implements Source.
func (l Local) Epoch(ctx context.Context, id string, number uint64) (monitor.Mark, error) {
	r, err := l.run(id)
	if err != nil {
		return monitor.Mark{}, err
	}
	marks, err := r.Epochs(ctx, monitor.EpochsRequest{Before: number + 1, Last: 1})
	return only(marks, number, err)
}

// Control implements Source.
func (l Local) Control(_ context.Context, id string, command monitor.Command) (monitor.State, error) {
	r, err := l.run(id)
	if err != nil {
		return "", err
	}
	if err := r.Control(command); err != nil {
		return "", err
	}
	return r.State(), nil
}
