package flowtest

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// runLimit is how long the flows may take: failures that may pass are retried.
const runLimit = 30 * time.Second

// RunAll runs the tests, GOMAXPROCS at a time, and reports each result in the
// order of the paths.
func RunAll(ctx context.Context, paths []string, report func(*Result)) {
	results := make([]chan *Result, len(paths))
	for i := range results {
		results[i] = make(chan *Result, 1)
	}
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	go func() {
		for i, path := range paths {
			free <- struct{}{}
			go func() {
				results[i] <- Run(ctx, path)
				<-free
			}()
		}
	}()
	for _, result := range results {
		report(<-result)
	}
}

// Run runs one test.
func Run(ctx context.Context, path string) *Result {
	began := time.Now()
	r := &Result{Path: path}
	if r.test, r.Bad = load(path); r.Bad == nil {
		if err := r.run(ctx); err != nil {
			r.broken = true
			r.fail("the test could not run: " + err.Error())
		} else {
			r.compare()
		}
	}
	r.Took = time.Since(began)
	return r
}

// run runs the flow. An error is about the test's own server.
func (r *Result) run(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	plan, err := r.test.plan()
	if err != nil {
		r.ended = []error{err}
		return nil
	}
	w, err := newWorld()
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.fill(ctx, r.test.streams, r.test.input); err != nil {
		return err
	}
	if err := redirect(plan, w.server.URL(), r.test.env); err != nil {
		r.ended = []error{err}
		return nil
	}
	r.runPlan(ctx, plan)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return w.collect(ctx, r)
}

// plan compiles the flow; an error is lang.Diagnostics.
func (t *test) plan() (*planner.Plan, error) {
	file, found := lang.Parse(t.flow)
	if err := found.Err(); err != nil {
		return nil, err
	}
	plan, found := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{nats.Kind()}, Params: t.params})
	return plan, found.Err()
}

// runPlan runs the flows until they are caught up.
func (r *Result) runPlan(ctx context.Context, plan *planner.Plan) {
	ctx, cancel := context.WithTimeoutCause(ctx, runLimit, fmt.Errorf("the flow was not caught up after %s", runLimit))
	defer cancel()
	retried := make([]error, len(plan.Flows))
	results := exec.RunAll(ctx, plan, func(flow *planner.Flow) exec.Options {
		last := &retried[slices.Index(plan.Flows, flow)]
		return exec.Options{UntilCaughtUp: true, OnEvent: func(e exec.Event) {
			if e.Kind == exec.Retrying {
				*last = e.Err
			}
		}}
	}, func(exec.Result) {})
	for i, result := range results {
		switch {
		case result.Err == nil:
		case ctx.Err() != nil && retried[i] != nil:
			r.ended = append(r.ended, fmt.Errorf("%w; at last because of: %w", result.Err, retried[i]))
		default:
			r.ended = append(r.ended, located(result.Flow, result.Err))
		}
	}
}
