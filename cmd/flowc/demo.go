package main

import (
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/viewer"
	natsgo "github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
)

//go:embed demo.flow
var demoFlow string

// demoTime is how long the demo lasts where there is no terminal to quit it on.
const demoTime = 10 * time.Second

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See everything at once: a server, messages, a flow and the viewer",
		Long: `Run a NATS server inside the process, write orders into it at a steady rate with
bursts, a slow phase and some poison, run a flow over them, and watch it. Everything
is gone afterwards.

Without a terminal it prints a line of progress a second, and ends after ten.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.demo(cmd.Context(), demoTime) },
	}
}

func (a *app) demo(ctx context.Context, bound time.Duration) error {
	r := running{embedded: temporary, grace: defaultGrace, logFormat: "text", allowControl: true, exposeData: true,
		tui: viewer.IsTerminal(a.in) && viewer.IsTerminal(a.terminal)}
	if !r.tui {
		r.bound = bound
		a.out = &curtain{to: a.out, raised: true} // for progress and summary at a time
	}
	file, findings := lang.Parse(&lang.Source{Name: "demo.flow", Text: demoFlow})
	if err := a.judge(findings); err != nil {
		return err
	}
	return a.runFiles(ctx, []*lang.File{file}, r, nil, func(ctx context.Context, server *embedded.Server) (func(), error) {
		return a.startDemo(ctx, server, !r.tui)
	})
}

// startDemo writes messages, and prints progress if it is asked for, until it is
// stopped.
func (a *app) startDemo(ctx context.Context, server *embedded.Server, progress bool) (stop func(), err error) {
	nc, err := natsgo.Connect(server.URL())
	if err != nil {
		return nil, fmt.Errorf("connecting to the embedded server: %w", err)
	}
	shop, err := openShop(ctx, nc)
	if err != nil {
		nc.Close()
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	all.Go(func() { shop.trade(ctx) })
	if progress {
		all.Go(func() { a.printProgress(ctx, nc) })
	}
	return func() {
		cancel()
		all.Wait()
		nc.Close()
	}, nil
}

// printProgress prints a line a second, from what the run shows of itself.
func (a *app) printProgress(ctx context.Context, nc *natsgo.Conn) {
	source, began := viewer.NewRemote(nc), time.Now()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		runs, err := source.Look(ctx, "")
		if err != nil {
			continue // the run says what is wrong
		}
		for _, s := range runs {
			fmt.Fprintf(printableWriter{a.out}, "%3.0fs  %s  read %s  written %s  dead %s  epochs %s  lag %s\n", time.Since(began).Seconds(), s.State,
				connectors.FormatCount(int64(s.Totals.In)), connectors.FormatCount(int64(s.Totals.Out)), connectors.FormatCount(int64(s.Totals.Dead)),
				connectors.FormatCount(int64(s.Totals.Epochs)), connectors.FormatCount(int64(s.Lag.Messages)))
		}
	}
}
