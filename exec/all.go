package exec

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// Result is how one flow of a run ended.
type Result struct {
	Flow   *planner.Flow
	Totals Totals
	Err    error
	Took   time.Duration
}

// RunAll runs every flow of a plan side by side, with the options that it is
// given for each, and returns the results in the plan's order. A flow that fails
// does not stop the others; ended is told at once, by one flow at a time.
//
// With UntilCaughtUp a flow begins once those that feed it have ended, so that it
// is caught up with all of what they wrote. Otherwise it waits, where there is
// nothing to read yet, for what they will make.
func RunAll(ctx context.Context, plan *planner.Plan, options func(*planner.Flow) Options, ended func(Result)) []Result {
	results := make([]Result, len(plan.Flows))
	over := map[*planner.Flow]chan struct{}{}
	for _, f := range plan.Flows {
		over[f] = make(chan struct{})
	}
	var all sync.WaitGroup
	var telling sync.Mutex
	for i, f := range plan.Flows {
		all.Go(func() {
			defer close(over[f])
			o := options(f)
			if o.UntilCaughtUp {
				for _, u := range plan.Upstream(f) {
					<-over[u]
				}
			}
			for _, other := range plan.Flows {
				o.together = append(o.together, other.Flow)
			}
			began := time.Now()
			totals, err := runWhenFed(ctx, f, o, len(plan.Upstream(f)) > 0)
			results[i] = Result{Flow: f, Totals: totals, Err: err, Took: time.Since(began)}
			telling.Lock()
			defer telling.Unlock()
			ended(results[i])
		})
	}
	all.Wait()
	return results
}

// sourceInterval is how often a fed flow looks whether there is something to read.
const sourceInterval = 500 * time.Millisecond

// runWhenFed runs a flow; one that others feed waits until its source is there.
func runWhenFed(ctx context.Context, f *planner.Flow, o Options, fed bool) (Totals, error) {
	for {
		totals, err := Run(ctx, f, o)
		if !fed || o.UntilCaughtUp || !errors.Is(err, connectors.ErrNoSource) {
			return totals, err
		}
		select {
		case <-ctx.Done():
			return totals, context.Cause(ctx)
		case <-o.Stop:
			return totals, nil
		case <-time.After(sourceInterval):
		}
	}
}
