package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/flowlang/flow/internal/natsflags"
	"github.com/flowlang/flow/internal/safejson"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/viewer"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// watching are the flags and streams of flowtui.
type watching struct {
	nats    natsflags.Flags
	flow    string
	once    bool
	json    bool
	noMouse bool
	color   string

	in        io.Reader
	out, errs io.Writer
}

func command(in io.Reader, out, errs io.Writer) *cobra.Command {
	w := watching{in: in, out: out, errs: errs}
	cmd := &cobra.Command{
		Use:   "flowtui [FLOW]",
		Short: "Watch runs of flows, live",
		Long: `Watch the runs of flows in a NATS account, on this machine or any other: what they
do, how far behind they are, what holds them back, and whether anything is about to
be lost. With FLOW its run is opened at once.

? shows the keys. Without a terminal, --once prints one snapshot and --json streams
them. Runs are paused, resumed, drained and replayed only if they were started with
--allow-control, and after a confirmation.`,
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("flowtui takes one flow, found %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				w.flow = args[0]
			}
			return w.run(cmd.Context())
		},
	}
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errs)
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w%s (see flowtui --help)", err, meant(cmd, err))
	})
	flags := cmd.Flags()
	w.nats.Add(flags)
	flags.BoolVar(&w.once, "once", false, "print one snapshot and end; with --json as JSON")
	flags.BoolVar(&w.json, "json", false, "print a snapshot of each run every second, a JSON object a line")
	flags.BoolVar(&w.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	flags.StringVar(&w.color, "color", "auto", "colored screens: auto, always or never; NO_COLOR is heeded")
	return cmd
}

// meant adds which flag was probably meant.
func meant(cmd *cobra.Command, err error) string {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return ""
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near, ok := lang.Nearest(unknown.GetSpecifiedName(), known); ok {
		return "; did you mean --" + near + "?"
	}
	return ""
}

func (w *watching) run(ctx context.Context) error {
	if !slices.Contains([]string{"auto", "always", "never"}, w.color) {
		return usagef("--color is auto, always or never, found %q", w.color)
	}
	if !w.once && !w.json && (!viewer.IsTerminal(w.in) || !viewer.IsTerminal(w.out)) {
		return usagef("flowtui needs a terminal on standard input and output; without one, --once prints one snapshot and --json streams them")
	}
	nc, where, err := w.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	source := viewer.NewRemote(nc)
	switch {
	case w.json:
		return w.stream(ctx, source)
	case w.once:
		text, err := viewer.Once(ctx, viewer.Options{Source: source, Where: where, Flow: w.flow, ASCII: viewer.OnlyASCII(os.Getenv)}, viewer.Width(w.out))
		if err != nil {
			return failed(err)
		}
		_, err = io.WriteString(w.out, text)
		return failed(err)
	}
	return failed(viewer.Run(ctx, viewer.Options{
		Source: source, Where: where, Flow: w.flow, ASCII: viewer.OnlyASCII(os.Getenv), NoMouse: w.noMouse, Color: w.color, Replay: w.replay(ctx),
	}, w.in, w.out))
}

func failed(err error) error {
	if err == nil {
		return nil
	}
	return &failure{statusFailed, err}
}

// streamEvery is how often --json prints a snapshot of each run.
const streamEvery = time.Second

// stream prints snapshots until a signal ends it, or once.
func (w *watching) stream(ctx context.Context, source *viewer.Remote) error {
	tick := time.NewTicker(streamEvery)
	defer tick.Stop()
	for {
		runs, err := source.LookFull(ctx, w.flow)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && w.once:
			return failed(err)
		case w.once && w.flow != "" && len(runs) == 0:
			return failed(fmt.Errorf("no run of a flow %q answers", w.flow))
		case err != nil:
			fmt.Fprintf(w.errs, "%s\n", lang.Printable(err.Error()))
		}
		for _, r := range runs {
			if err := safejson.Write(w.out, r); err != nil {
				return failed(err)
			}
		}
		if w.once {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
