package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/monitor"
	"github.com/spf13/cobra"
)

// control is a command for a run that goes on.
type control struct {
	command monitor.Command
	short   string
	long    string
	reached func(monitor.State) bool
	bound   time.Duration // how long to wait for that
}

var controls = []control{
	{monitor.Pause, "Let a run read nothing more until it is resumed",
		`Close the open epoch of a run at once and certify it; then nothing more is read until
flowc resume. The run keeps its flow meanwhile: no other process takes it over. A run
that is started again is not paused.`,
		func(s monitor.State) bool { return s == monitor.Paused }, 30 * time.Second},
	{monitor.Resume, "Let a paused run read on",
		"Let a paused run read on, from where it stopped.",
		func(s monitor.State) bool { return s != monitor.Paused }, 5 * time.Second},
	{monitor.Stop, "Stop a run once its open epoch is certified",
		`Close the open epoch of a run at once, certify and acknowledge it, and end the run,
with status 0. It is what the first SIGTERM does, for one flow.`,
		func(s monitor.State) bool { return s == monitor.Ended }, 60 * time.Second},
}

func (a *app) controlCommands() []*cobra.Command {
	var commands []*cobra.Command
	for _, c := range controls {
		var n natsFlags
		var run string
		cmd := &cobra.Command{
			Use:   string(c.command) + " FLOW",
			Short: c.short,
			Long:  c.long + "\n\nFLOW is a flow's name, in the --namespace. The run obeys if it was started with\n--allow-control.",
			Args: func(cmd *cobra.Command, args []string) error {
				if len(args) != 1 {
					return usagef("%s needs the name of one flow", cmd.CommandPath())
				}
				if !validName(args[0]) {
					return usagef("a flow's name has letters, digits, - and _, found %q", args[0])
				}
				return nil
			},
			RunE: func(cmd *cobra.Command, args []string) error {
				return a.control(cmd.Context(), c, args[0], run, n)
			},
		}
		n.add(cmd.Flags())
		cmd.Flags().StringVar(&run, "run", "", "`ID` of the run, or its beginning, where a flow has several")
		commands = append(commands, cmd)
	}
	return commands
}

func (a *app) control(ctx context.Context, c control, flow, id string, n natsFlags) error {
	ask, err := a.askRuns(ctx, n)
	if err != nil {
		return err
	}
	defer ask.close()
	listed, err := ask.client.Runs(ctx)
	if err != nil {
		return surrounding(err)
	}
	found := make([]foundRun, len(listed))
	for i, r := range listed {
		found[i] = foundRun{r, silent}
		if r.Flow != flow {
			continue
		}
		if s, err := ask.look(ctx, r.ID); err == nil {
			found[i].state = s.State
		}
	}
	run, err := choose(found, connectors.Identity{Namespace: a.namespace, Flow: flow}, id, ask.where)
	if err != nil {
		return err
	}
	if _, err := ask.client.Control(ctx, run.ID, c.command); err != nil {
		return &failure{status: statusFailed, err: fmt.Errorf("flow %s, run %s: %w", flow, run.ID, err)}
	}
	return a.await(ctx, ask, c, run)
}

// foundRun is a run and its state.
type foundRun struct {
	monitor.Listed
	state monitor.State
}

// choose is the one run that is meant.
func choose(found []foundRun, flow connectors.Identity, id, where string) (foundRun, error) {
	var ofFlow, meantRuns []foundRun
	var names []string
	for _, r := range found {
		names = append(names, r.Flow)
		if r.Namespace == flow.Namespace && r.Flow == flow.Flow {
			ofFlow = append(ofFlow, r)
			if strings.HasPrefix(r.ID, id) {
				meantRuns = append(meantRuns, r)
			}
		}
	}
	switch {
	case len(meantRuns) == 1:
		return meantRuns[0], nil
	case len(ofFlow) == 0:
		return foundRun{}, &failure{status: statusFailed, err: connectors.Errorf(connectors.Permanent, "no run of flow %s answers on %s%s", flow, where, meant(flow.Flow, "", names)).
			WithHelp("what runs there: flowc runs; the NATS flags and --namespace say where to look")}
	case len(meantRuns) == 0:
		return foundRun{}, usagef("flow %s has no run %q: %s", flow, id, theRuns(ofFlow))
	default:
		return foundRun{}, usagef("flow %s has %d runs, so say which with --run ID: %s", flow, len(meantRuns), theRuns(meantRuns))
	}
}

func theRuns(runs []foundRun) string {
	texts := make([]string, len(runs))
	for i, r := range runs {
		texts[i] = fmt.Sprintf("%s (%s, process %d on %s, since %s)", r.ID, r.state, r.PID, r.Host, r.Started.Format(time.RFC3339))
	}
	return strings.Join(texts, "; ")
}

// look asks a run for its state. One that ends just now may leave it without an answer.
func (k *asked) look(ctx context.Context, id string) (*monitor.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return k.client.Brief(ctx, id)
}

// stateInterval is how often a run is asked whether it did what it was told.
const stateInterval = 100 * time.Millisecond

// await waits until the run is as it was told to be. A run that is gone has ended.
func (a *app) await(ctx context.Context, ask *asked, c control, run foundRun) error {
	ctx, cancel := context.WithTimeout(ctx, c.bound)
	defer cancel()
	tick := time.NewTicker(stateInterval)
	defer tick.Stop()
	state := run.state
	for {
		s, err := ask.look(ctx, run.ID)
		switch {
		case c.command == monitor.Stop && (errors.Is(err, monitor.ErrGone) || err != nil && ask.ended()):
			return a.say(run, "ended")
		case err == nil:
			state = s.State
			if state == monitor.Failed {
				return &failure{status: statusFailed, err: fmt.Errorf("flow %s, run %s has failed: %s", run.Flow, run.ID, s.Reason)}
			}
			if c.reached(state) {
				return a.say(run, string(state))
			}
		}
		select {
		case <-ctx.Done():
			return &failure{status: statusFailed, err: fmt.Errorf("flow %s, run %s took the command, and is %s after %s", run.Flow, run.ID, state, c.bound)}
		case <-tick.C:
		}
	}
}

func (a *app) say(run foundRun, state string) error {
	_, err := fmt.Fprintf(printableWriter{a.out}, "%s: run %s is %s\n", run.Flow, run.ID, state)
	return err
}
