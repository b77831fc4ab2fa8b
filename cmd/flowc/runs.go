package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/monitor"
	natsgo "github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
)

func (a *app) runsCommand() *cobra.Command {
	var n natsFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List what runs, and where",
		Long: `List the runs of flows that answer in the NATS account, on whatever machine. The
flags say which server is asked. To watch them go on, use flowtui.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.listRuns(cmd.Context(), n, asJSON) },
	}
	n.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) listRuns(ctx context.Context, n natsFlags, asJSON bool) error {
	ask, err := a.askRuns(ctx, n)
	if err != nil {
		return err
	}
	defer ask.close()
	found, err := ask.client.Runs(ctx)
	if err != nil {
		return surrounding(err)
	}
	runs := ask.briefs(ctx, found)
	if asJSON {
		return a.writeJSON(struct {
			Runs []monitor.Snapshot `json:"runs"`
		}{runs})
	}
	if len(runs) == 0 {
		fmt.Fprintf(printableWriter{a.out}, "nothing runs on %s\n", ask.where)
		return nil
	}
	return runsTable(runs, time.Now()).print(a.out)
}

// asked is an account whose runs are asked.
type asked struct {
	client *monitor.Client
	where  string
	close  func()
	// ended says whether the server was one inside a run's process, and is gone with it.
	ended func() bool
}

func (a *app) askRuns(ctx context.Context, n natsFlags) (*asked, error) {
	settings, origin, err := n.settings()
	if err != nil {
		return nil, err
	}
	conn := a.defaultConnection(target{settings: settings, origin: origin})
	resolved, err := conn.Settings.Resolve(conn.Kind.Connection)
	if err != nil {
		return nil, remotely(err)
	}
	nc, err := nats.Dial(ctx, conn.Name, resolved, natsgo.ErrorHandler(func(*natsgo.Conn, *natsgo.Subscription, error) {})) // the client asks for the last one
	if err != nil {
		return nil, surrounding(err)
	}
	inside := nc.ConnectedServerName() == embedded.Name
	return &asked{client: monitor.NewClient(nc), where: nc.ConnectedUrlRedacted(), close: nc.Close, ended: func() bool { return inside && !nc.IsConnected() }}, nil
}

// atOnce is how many runs are asked at a time.
const atOnce = 16

// silent stands for the state of a run that is there, and does not answer.
const silent monitor.State = "no answer"

// briefs are what the runs show of themselves. One that has ended since is left out.
func (k *asked) briefs(ctx context.Context, found []monitor.Listed) []monitor.Snapshot {
	answers := make([]*monitor.Snapshot, len(found))
	free := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, run := range found {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			s, err := k.client.Brief(ctx, run.ID)
			if err != nil && !errors.Is(err, monitor.ErrGone) {
				s = &monitor.Snapshot{State: silent, Run: monitor.Run{ID: run.ID, Namespace: run.Namespace, Flow: run.Flow, Host: run.Host, PID: run.PID, Started: run.Started}}
			}
			answers[i] = s
		})
	}
	all.Wait()
	runs := []monitor.Snapshot{}
	for _, s := range answers {
		if s != nil {
			runs = append(runs, *s)
		}
	}
	return runs
}

func runsTable(runs []monitor.Snapshot, now time.Time) table {
	t := table{{"FLOW", "STATE", "LAG", "BEHIND", "IN/S", "LAST CERTIFICATE", "GUARANTEE", "HOST", "RUN"}}
	for _, s := range runs {
		last := "none yet"
		if !s.LastCertified.IsZero() {
			last = brief(now.Sub(s.LastCertified).Seconds()) + " ago"
		}
		t = append(t, []string{s.Run.Namespace + "/" + s.Run.Flow, string(s.State), connectors.FormatCount(int64(s.Lag.Messages)), brief(s.Lag.Seconds),
			connectors.FormatCount(int64(s.Rate.In)), last, s.Run.Guarantee, fmt.Sprintf("%s, process %d", s.Run.Host, s.Run.PID), s.Run.ID})
	}
	return t
}

// brief is a number of seconds as a person says it.
func brief(seconds float64) string {
	d := time.Duration(max(0, seconds) * float64(time.Second))
	unit := 100 * time.Millisecond
	if d >= 10*time.Second {
		unit = time.Second
	}
	if d >= time.Hour {
		unit = time.Minute
	}
	text := connectors.ShortDuration(d.Round(unit))
	return strings.TrimSuffix(text, ".0s")
}
