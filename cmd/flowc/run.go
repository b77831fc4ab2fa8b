package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	"github.com/spf13/cobra"
)

// running are the flags of run.
type running struct {
	nats      natsFlags
	embedded  string // a directory, or temporary
	seed      string
	until     string
	grace     time.Duration
	logFormat string
	params    []string // NAME=VALUE
}

// parameters are those of --param, by name.
func (r running) parameters() (map[string]string, error) {
	params := map[string]string{}
	for _, p := range r.params {
		name, value, ok := strings.Cut(p, "=")
		if _, again := params[name]; !ok || name == "" || again {
			return nil, usagef("--param is NAME=VALUE, each name once, found %q", p)
		}
		params[name] = value
	}
	return params, nil
}

// temporary is what --embedded without a directory means.
const temporary = "(temporary)"

func (a *app) runCommand() *cobra.Command {
	var r running
	cmd := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run a flow",
		Long: `Run a flow until it is stopped or, with --until caught-up, until everything that
is there at the start is written, certified and acknowledged.

The first SIGINT or SIGTERM closes the open epoch at once, commits, certifies and
acknowledges it; a second one aborts.`,
		Args: atLeastOneFile,
		RunE: func(cmd *cobra.Command, paths []string) error { return a.run(cmd.Context(), paths, r) },
	}
	flags := cmd.Flags()
	r.nats.add(flags)
	flags.StringVar(&r.embedded, "embedded", "", "run a NATS server inside the process, with its store in `DIR` (default: a temporary one)")
	flags.Lookup("embedded").NoOptDefVal = temporary
	flags.StringVar(&r.seed, "seed", "", "publish the lines of `FILE` first, into the embedded server")
	flags.StringVar(&r.until, "until", "", "end once the sources are drained: caught-up")
	flags.StringArrayVar(&r.params, "param", nil, "the value of a parameter of the flow, `NAME=VALUE`")
	flags.DurationVar(&r.grace, "grace", 25*time.Second, "how long the open epoch may take after the first signal")
	flags.StringVar(&r.logFormat, "log-format", "text", "log lines as text or json")
	return cmd
}

func (r running) check() error {
	switch {
	case r.until != "" && r.until != "caught-up":
		text := fmt.Sprintf("--until knows caught-up, found %q", r.until)
		if nearest, ok := lang.Nearest(r.until, []string{"caught-up"}); ok {
			text += fmt.Sprintf("; did you mean %s?", nearest)
		}
		return usagef("%s", text)
	case r.seed != "" && r.embedded == "":
		return usagef("--seed goes with --embedded: it would write into a server that others use")
	case r.embedded != "" && (r.nats.server != "" || r.nats.context != ""):
		return usagef("--embedded brings a server of its own: leave --server and --context out")
	case r.grace <= 0:
		return usagef("--grace is a positive duration, found %s", r.grace)
	case r.logFormat != "text" && r.logFormat != "json":
		return usagef("--log-format is text or json, found %q", r.logFormat)
	}
	return nil
}

func (a *app) run(ctx context.Context, paths []string, r running) error {
	if err := r.check(); err != nil {
		return err
	}
	params, err := r.parameters()
	if err != nil {
		return err
	}
	seed, err := a.readSeed(r.seed)
	if err != nil {
		return err
	}
	files, err := a.parse(paths)
	if err != nil {
		return err
	}
	signals := watchSignals(ctx, r.grace)
	defer signals.release()
	target, err := a.target(signals.context, files, r, params, seed)
	if err != nil {
		return err
	}
	defer target.stop()
	plan, err := a.plan(files, map[string]connectors.Settings{"nats": target.settings}, params)
	if err != nil {
		return err
	}
	return a.runFlow(plan.Flows[0], r, signals, target)
}

func (a *app) runFlow(flow *planner.Flow, r running, signals *signals, target target) error {
	log := newRunLog(a.errs, r.logFormat, flow.Flow)
	signals.tell(log)
	log.starting(target.String())
	defer log.stop()
	began := time.Now()
	totals, err := exec.Run(signals.context, flow, exec.Options{
		UntilCaughtUp: r.until != "", Stop: signals.stop, OnEvent: log.event, OnNotice: log.notice,
	})
	log.stop()
	s := summary{flow: flow.Flow, totals: totals, took: time.Since(began), err: err, caughtUp: r.until != "" && err == nil && !signals.stopped()}
	s.print(printableWriter{a.out})
	if err != nil {
		return a.runFailed(flow, err, log.admitted())
	}
	if target.server != nil {
		return a.showEmbedded(target.server, totals)
	}
	return nil
}

// rowFailed prints which message stopped the flow, and why.
func (a *app) rowFailed(flow *planner.Flow, fault *exec.RowFault) error {
	a.printError(fmt.Errorf("flow %s stopped at a row, and nothing of its epoch was certified", flow.Flow))
	fmt.Fprintf(a.errs, "  resource %s, stream %s, sequence %d, subject %s\n", lang.Printable(fault.Resource), fault.Stream, fault.Sequence, lang.Printable(fault.Subject))
	if fault.At.Source != nil {
		if err := a.show(lang.Diagnostics{fault.At}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.errs, "  %s\n", lang.Printable(fault.Reason()))
	}
	return &failure{status: statusFailed}
}

// runFailed prints why a run failed: at its place in the file, if it has one.
func (a *app) runFailed(flow *planner.Flow, err error, admitted bool) error {
	status := runStatus(err, admitted)
	if d, ok := flow.Locate(err); ok {
		if err := a.show(lang.Diagnostics{d}); err != nil {
			return err
		}
		return &failure{status: status}
	}
	if found, ok := errors.AsType[lang.Diagnostics](err); ok {
		if err := a.show(found); err != nil {
			return err
		}
		return &failure{status: statusUsage}
	}
	if fault, ok := errors.AsType[*exec.RowFault](err); ok {
		return a.rowFailed(flow, fault)
	}
	return &failure{status: status, err: err}
}
