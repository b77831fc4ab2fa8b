package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/planner"
	"github.com/flowlang/flow/viewer"
)

// view is the viewer of --tui, beside the flows that it shows. A nil one shows nothing.
type view struct {
	app      *app
	out, err *curtain
	over     chan struct{} // closed once the flows have ended
	gone     chan struct{} // closed once the viewer has; nil if it has not begun
	once     sync.Once
}

// viewEvery is how often the viewer looks at the runs of its own process.
const viewEvery = 250 * time.Millisecond

// drawCurtains begins to keep what flowc prints until the viewer has left the screen.
func (a *app) drawCurtains() error {
	if !viewer.IsTerminal(a.in) || !viewer.IsTerminal(a.terminal) {
		return usagef("--tui needs a terminal on standard input and output; without it the run logs its progress")
	}
	a.view = &view{app: a, out: &curtain{to: a.out}, err: &curtain{to: a.errs}, over: make(chan struct{})}
	a.out, a.errs = a.view.out, a.view.err
	return nil
}

// flowLog is where flows log to besides their recorders: nowhere while the viewer
// shows their lines.
func (v *view) flowLog(log *slog.Logger, format string) *slog.Logger {
	if v == nil {
		return log
	}
	return newLogger(muted{v.err}, format)
}

// show begins to show the runs. Whatever becomes of the viewer, they go on.
func (v *view) show(runs []*followed, s *signals, at target, log *slog.Logger) {
	if v == nil {
		return
	}
	local := viewer.Local{}
	for _, r := range runs {
		local = append(local, r.recorder)
	}
	o := viewer.Options{Source: local, Every: viewEvery, ASCII: viewer.OnlyASCII(os.Getenv), Color: v.app.color,
		Interrupt: s.interrupt, Over: v.over, Replay: v.replay(s.context, runs)}
	if at.settings.Has("context") {
		o.Where = "ctx " + at.settings.Text("context")
	}
	if len(runs) == 1 {
		o.Flow = runs[0].flow.Flow
	}
	v.gone = make(chan struct{})
	go func() {
		defer close(v.gone)
		err := viewer.Run(s.context, o, v.app.in, v.app.terminal)
		v.raise()
		if err != nil {
			log.Warn("the viewer has ended, and the run goes on", "reason", err.Error())
		}
	}()
}

// end waits until the viewer has left the screen, and prints what was kept.
func (v *view) end() {
	if v == nil {
		return
	}
	v.once.Do(func() {
		close(v.over)
		if v.gone != nil {
			<-v.gone
		}
		v.raise()
		v.app.out, v.app.errs = v.out.to, v.err.to
	})
}

func (v *view) raise() {
	v.err.raise()
	v.out.raise()
}

// replay prints what a run made of an epoch. The run goes on meanwhile.
func (v *view) replay(ctx context.Context, runs []*followed) func(monitor.Run, uint64) *viewer.Printing {
	return func(run monitor.Run, epoch uint64) *viewer.Printing {
		for _, r := range runs {
			if ledger := r.openedLedger(); r.recorder.ID() == run.ID && ledger != nil {
				return &viewer.Printing{Until: v.over, Print: func(out, _ io.Writer) error { return printEpoch(ctx, out, r.flow, ledger, epoch) }}
			}
		}
		return nil
	}
}

func printEpoch(ctx context.Context, out io.Writer, f *planner.Flow, ledger connectors.Ledger, epoch uint64) error {
	return exec.Replay(ctx, f, ledger, epoch, func(connectors.Notice) {}, func(p connectors.Prepared) error { return writeReplayed(out, p) })
}
