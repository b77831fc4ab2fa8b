package viewer

import (
	"context"

	"github.com/flowlang/flow/monitor"
)

// Source is where a viewer's snapshots come from. It is called from one goroutine
// at a time for each method, and from several for different ones.
type Source interface {
	// Look returns one snapshot of each run that answers. That of the run with the id
	// focus is a full one; the others may leave out what a list does not show. An error
	// says why nothing could be asked at all.
	Look(ctx context.Context, focus string) ([]monitor.Snapshot, error)
	// Dead are a run's last dead letters, the newest first.
	Dead(ctx context.Context, id string) ([]monitor.DeadLetter, error)
	// Epoch is the mark of a certified epoch, as the run's ledger holds it.
	Epoch(ctx context.Context, id string, number uint64) (monitor.Mark, error)
	// Control asks a run to do something, and returns its state right after.
	Control(ctx context.Context, id string, command monitor.Command) (monitor.State, error)
}
