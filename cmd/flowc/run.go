package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/localledger"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/monitor/trace"
	"github.com/flowlang/flow/planner"
	"github.com/spf13/cobra"
)

// running are the flags of run.
type running struct {
	nats      natsFlags
	embedded  string // a directory, or temporary
	ledger    string // a directory, or empty
	seed      string
	until     string
	grace     time.Duration
	logFormat string
	params    []string // NAME=VALUE
	replace   bool
	adopt     string // a flow's name, or empty
	fresh     bool
	streams   bool // adopt streams

	tui          bool
	acceptDead   bool
	allowControl bool
	exposeData   bool
	listen       string // HOST:PORT, or empty

	bound time.Duration // after which the flows are stopped; 0 is never
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

// defaultGrace is less than the 30 seconds that Kubernetes gives a process to end.
const defaultGrace = 25 * time.Second

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
acknowledges it; a second one aborts.

While another process runs the flow, this one stands by, and takes over when that one
ends or is lost. A changed flow is refused then, unless it is to replace the other.`,
		Args: atLeastOneFile,
		RunE: func(cmd *cobra.Command, paths []string) error { return a.run(cmd.Context(), paths, r) },
	}
	flags := cmd.Flags()
	r.nats.add(flags)
	flags.StringVar(&r.embedded, "embedded", "", "run a NATS server inside the process; with `=DIR` its store is kept there")
	flags.Lookup("embedded").NoOptDefVal = temporary
	flags.StringVar(&r.ledger, "ledger", "", "keep the ledgers in `DIR` (default: on each flow's first source)")
	flags.StringVar(&r.seed, "seed", "", "publish the lines of `FILE` first, into the embedded server")
	flags.StringVar(&r.until, "until", "", "end once the sources are drained: caught-up")
	flags.StringArrayVar(&r.params, "param", nil, "the value of a parameter of the flow, `NAME=VALUE`")
	flags.DurationVar(&r.grace, "grace", defaultGrace, "how long the open epoch may take after the first signal")
	flags.BoolVar(&r.acceptDead, "accept-dead", false, "go on where more than half of an epoch is bad and becomes dead letters")
	flags.BoolVar(&r.tui, "tui", false, "show the run on the screens of flowtui, in this terminal")
	flags.BoolVar(&r.allowControl, "allow-control", false, "let flowc pause, resume and stop, and flowtui, control this run")
	flags.BoolVar(&r.exposeData, "expose-data", false, "let flowtui show the bodies of messages that could not be processed")
	flags.StringVar(&r.listen, "listen", "", "serve metrics and health over HTTP at `HOST:PORT`: /metrics, /livez, /readyz")
	flags.BoolVar(&r.replace, "replace", false, "take the flow over from the process that runs it, which stops")
	flags.StringVar(&r.adopt, "adopt", "", "a new name for the flow `OLD`, whose position it goes on from")
	flags.BoolVar(&r.fresh, "fresh", false, "begin anew, though another flow reads and writes the same")
	flags.BoolVar(&r.streams, "adopt-streams", false, "read streams, too, that have come to match since the first run")
	flags.StringVar(&r.logFormat, "log-format", "text", "log lines as text or json")
	return cmd
}

func (r running) check() error {
	switch {
	case r.until != "" && r.until != "caught-up":
		return usagef("--until knows caught-up, found %q%s", r.until, meant(r.until, "", []string{"caught-up"}))
	case r.seed != "" && r.embedded == "":
		return usagef("--seed goes with --embedded: it would write into a server that others use")
	case r.embedded != "" && (r.nats.Server != "" || r.nats.Context != ""):
		return usagef("--embedded brings a server of its own: leave --server and --context out")
	case r.adopt != "" && r.fresh:
		return usagef("--adopt goes on from an old flow, and --fresh begins anew: give one of them")
	case r.adopt != "" && !validName(r.adopt):
		return usagef("--adopt takes a flow's name, of letters, digits, - and _, found %q", r.adopt)
	case r.grace <= 0:
		return usagef("--grace is a positive duration, found %s", r.grace)
	case r.logFormat != "text" && r.logFormat != "json":
		return usagef("--log-format is text or json, found %q", r.logFormat)
	}
	return checkListen(r.listen)
}

func (a *app) run(ctx context.Context, paths []string, r running) error {
	if err := r.check(); err != nil {
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
	if err := r.named(files); err != nil {
		return err
	}
	return a.runFiles(ctx, files, r, seed, nil)
}

// runFiles runs every flow of the files. Started is called with the embedded server, if
// there is one, and what it returns before that ends; it may be nil.
func (a *app) runFiles(ctx context.Context, files []*lang.File, r running, seed []embedded.SeedMessage, started func(context.Context, *embedded.Server) (stop func(), err error)) error {
	if r.tui {
		if err := a.drawCurtains(); err != nil {
			return err
		}
		defer a.view.end()
	}
	params, err := r.parameters()
	if err != nil {
		return err
	}
	target, err := r.target()
	if err != nil {
		return err
	}
	// The program is judged before a server is started for it or asked.
	plan, err := a.plan(files, target, params)
	if err != nil {
		return err
	}
	if (r.adopt != "" || r.fresh) && len(plan.Flows) > 1 {
		return usagef("--adopt and --fresh are for one flow, and there are %d", len(plan.Flows))
	}
	lines := a.beginLive(r)
	defer lines.end()
	log := newLogger(a.errs, r.logFormat)
	signals := watchSignals(ctx, r.grace, log)
	defer signals.release()
	if r.embedded != "" {
		if target.server, err = startEmbedded(signals.context, r, seed, log); err != nil {
			return surrounding(err)
		}
		defer target.server.Stop()
		target.settings["url"] = []string{target.server.URL()}
		plan, _ = a.planFor(files, target, params) // judged already
		if started != nil {
			stop, err := started(signals.context, target.server)
			if err != nil {
				return surrounding(err)
			}
			defer stop()
		}
	}
	return a.runPlan(plan, r, signals, target, lines, log)
}

// named refuses a flow without any name where its name is what its position is kept
// by: every program on standard input would be the same one.
func (r running) named(files []*lang.File) error {
	if r.embedded == temporary {
		return nil
	}
	for _, file := range files {
		for _, flow := range file.Flows {
			if file.Source.Name == stdin && flow.Name == nil {
				return usagef("a flow on standard input needs a name, under which its position is kept: begin it with `flow NAME`")
			}
		}
	}
	return nil
}

// ledgers opens the directory of --ledger, if there is one.
func (r running) ledgers(log *slog.Logger) (open func(context.Context, connectors.Identity) (connectors.Ledger, error), release func(), err error) {
	if r.ledger == "" {
		return nil, func() {}, nil
	}
	directory, err := localledger.Open(r.ledger, func(n connectors.Notice) { logNotice(log, n) })
	if err != nil {
		return nil, nil, surrounding(err)
	}
	return directory.OpenLedger, directory.Close, nil
}

func (a *app) runPlan(plan *planner.Plan, r running, signals *signals, target target, lines *live, log *slog.Logger) error {
	listener, err := listen(r.listen)
	if err != nil {
		return err
	}
	defer listener.close()
	tracer, err := trace.Start(signals.context, version(), func(n connectors.Notice) { logNotice(log, n) })
	if err != nil {
		return surrounding(err)
	}
	defer tracer.Stop()
	runs := map[*planner.Flow]*followed{}
	var all []*followed
	for _, f := range plan.Flows {
		run := follow(f, r, listener, signals, a.view.flowLog(log, r.logFormat))
		defer run.end()
		run.log.connecting(f, target)
		if lines == nil {
			go run.log.progress()
		}
		runs[f], all = run, append(all, run)
	}
	defer r.stopInTime(all)()
	listener.serve(log)
	a.view.show(all, signals, target, log)
	lines.show(all)
	defer a.view.end()
	visible := newDiscovery(log)
	defer visible.stop()
	openLedger, closeLedgers, err := r.ledgers(log)
	if err != nil {
		return err
	}
	defer closeLedgers()
	statuses := make([]int, 0, len(plan.Flows))
	results := exec.RunAll(signals.context, plan, func(f *planner.Flow) exec.Options {
		return tracer.Follow(f.Identity, runs[f].options(r.options(openLedger), visible.show))
	}, func(result exec.Result) {
		statuses = append(statuses, a.ended(result, runs[result.Flow], r, signals))
	})
	status := joined(statuses)
	if target.server != nil && status == statusDone {
		if err := a.showEmbedded(target.server, results); err != nil {
			return err
		}
	}
	if status != statusDone {
		return &failure{status: status}
	}
	return nil
}

// stopInTime stops the flows once their time is over, if it is bounded.
func (r running) stopInTime(all []*followed) (release func()) {
	if r.bound == 0 {
		return func() {}
	}
	timer := time.AfterFunc(r.bound, func() {
		for _, run := range all {
			run.stop.close()
		}
	})
	return func() { timer.Stop() }
}

// options are what the flags say of each flow's run.
func (r running) options(ledger func(context.Context, connectors.Identity) (connectors.Ledger, error)) exec.Options {
	return exec.Options{UntilCaughtUp: r.until != "", AcceptDead: r.acceptDead, Ledger: ledger,
		Replace: r.replace, Adopt: r.adopt, Fresh: r.fresh, AdoptStreams: r.streams}
}

// ended tells how one flow's run ended, and returns the status for it.
func (a *app) ended(result exec.Result, run *followed, r running, s *signals) int {
	run.end()
	admitted := run.log.admitted()
	if result.Err == nil || admitted { // else there is nothing to sum up
		a.printSummary(result, r.until != "" && !run.stop.isClosed())
	}
	status := a.runFailed(result.Flow, result.Err, admitted)
	if errors.Is(result.Err, exec.ErrStopped) && s.stopped() {
		return statusSignal + numberOf(s.first)
	}
	return status
}

// joined is the status of a run whose flows ended with these: that of all, if it is
// the same, or of the signal that cut one, else that of a failed run.
func joined(statuses []int) int {
	worst := slices.Max(statuses)
	if worst >= statusSignal || slices.Min(statuses) == worst {
		return worst
	}
	return statusFailed
}
