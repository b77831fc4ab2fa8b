package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/flowlang/flow/cmd/flowc/flowtest"
	"github.com/spf13/cobra"
)

// testFlags are the flags of test.
type testFlags struct {
	update  bool
	verbose bool
	run     string
	junit   string
}

func (a *app) testCommand() *cobra.Command {
	var t testFlags
	cmd := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "Test flows against what must come of given messages",
		Long: `Run the tests of flows, each against a NATS server of its own inside the process;
nothing else is connected to. A path is a flow, a test, or a folder with tests
anywhere below it; without one it is the present folder.

A test of orders.flow is orders.txtar or orders.CASE.txtar beside it:

    What comes in, and what must be in each destination.
    -- in.jsonl --
    {"subject": "orders.created", "data": {"id": 1, "total": 12.50}}
    -- out/ORDERS_V1/v1.orders.jsonl --
    {"id": 1, "total": 12.5}

Further sections are flow (the program, if there is none beside it), params and
env (NAME=VALUE lines), streams (configurations of streams, as JSON objects),
headers/STREAM/SUBJECT.jsonl (those that matter), dead.jsonl (dead letters, in the
form of in.jsonl), and error (a line for each finding with which the flow must
fail: a part of it, such as its code).

The status is 0 if every test passed, 1 if one failed, and 2 if one cannot be read.`,
		RunE: func(cmd *cobra.Command, paths []string) error { return a.test(cmd.Context(), paths, t) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&t.update, "update", false, "write what was found into the tests that fail")
	flags.BoolVarP(&t.verbose, "verbose", "v", false, "name the tests that passed, too")
	flags.StringVar(&t.run, "run", "", "only the tests whose path matches `REGEXP`")
	flags.StringVar(&t.junit, "junit", "", "write the results as JUnit XML into `FILE`")
	return cmd
}

func (a *app) test(ctx context.Context, paths []string, t testFlags) error {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	tests, err := t.find(paths)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	began := time.Now()
	var results []*flowtest.Result
	var ended tally
	flowtest.RunAll(ctx, tests, func(r *flowtest.Result) {
		if ctx.Err() == nil {
			results = append(results, r)
			ended.count(a.report(r, t))
		}
	})
	if ctx.Err() != nil {
		return &failure{status: statusFailed, err: fmt.Errorf("stopped after %s of %d: %w", plural(uint64(len(results)), "test"), len(tests), context.Cause(ctx))}
	}
	fmt.Fprintf(a.out, "%s in %s\n", ended, time.Since(began).Round(10*time.Millisecond))
	if t.junit != "" {
		if err := writeJUnit(t.junit, results); err != nil {
			return err
		}
	}
	return ended.status()
}

func (t testFlags) find(paths []string) ([]string, error) {
	pattern, err := regexp.Compile(t.run)
	if err != nil {
		return nil, usagef("--run is a regular expression: %w", err)
	}
	tests, err := flowtest.Find(paths)
	if err != nil {
		return nil, usagef("%w", err)
	}
	all := len(tests)
	tests = slices.DeleteFunc(tests, func(path string) bool { return !pattern.MatchString(path) })
	if len(tests) == 0 {
		return nil, usagef("--run %q matches none of %s", t.run, plural(uint64(all), "test"))
	}
	return tests, nil
}

// report prints how a test ended, and updates it if that is asked for.
func (a *app) report(r *flowtest.Result, t testFlags) ending {
	w := printableWriter{a.out}
	var refused error
	switch {
	case r.Bad != nil:
		fmt.Fprintf(w, "BAD   %v\n", r.Bad)
		return bad
	case r.Passed():
		if t.verbose {
			fmt.Fprintf(w, "ok    %s  %s\n", r.Path, r.Took.Round(time.Millisecond))
		}
		return passed
	case t.update:
		if refused = r.Update(); refused == nil {
			fmt.Fprintf(w, "wrote %s\n", r.Path)
			return updated
		}
	}
	fmt.Fprintf(w, "FAIL  %s\n", r.Path)
	for _, f := range r.Failures {
		for line := range strings.Lines(f.String()) {
			fmt.Fprintf(w, "  %s", line)
		}
	}
	if refused != nil {
		fmt.Fprintf(w, "  not updated: %v\n", refused)
	}
	return failed
}

func writeJUnit(path string, results []*flowtest.Result) error {
	file, err := os.Create(path)
	if err != nil {
		return usagef("writing the results: %w", err)
	}
	err = flowtest.WriteJUnit(file, results)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return &failure{status: statusFailed, err: fmt.Errorf("writing the results: %w", err)}
	}
	return nil
}

// ending is how one test ended.
type ending int

const (
	passed ending = iota
	updated
	failed
	bad
)

func (e ending) String() string {
	return [...]string{"passed", "updated", "failed", "cannot be read"}[e]
}

// tally counts tests by how they ended.
type tally [bad + 1]uint64

func (t *tally) count(e ending) { t[e]++ }

func (t tally) String() string {
	text := fmt.Sprintf("%s %s", plural(t[passed], "test"), passed)
	for e := updated; e <= bad; e++ {
		if t[e] > 0 {
			text += fmt.Sprintf(", %d %s", t[e], e)
		}
	}
	return text
}

func (t tally) status() error {
	switch {
	case t[bad] > 0:
		return &failure{status: statusUsage}
	case t[failed] > 0:
		return &failure{status: statusFailed}
	}
	return nil
}
