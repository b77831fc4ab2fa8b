package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// progressInterval is how often a run that certifies epochs says so.
const progressInterval = 10 * time.Second

// runLog writes what happens in a run, a line each. It is safe for concurrent use.
type runLog struct {
	log  *slog.Logger
	done chan struct{}
	once sync.Once

	mu      sync.Mutex
	begun   bool
	epoch   uint64
	totals  exec.Totals
	written exec.Totals // when progress was last written
}

func newRunLog(log *slog.Logger, flow string) *runLog {
	return &runLog{log: log.With("flow", flow), done: make(chan struct{})}
}

// newLogger writes log lines as text or json.
func newLogger(to io.Writer, format string) *slog.Logger {
	options := &slog.HandlerOptions{ReplaceAttr: tidy}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(printableWriter{to}, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}

// tidy shortens the time, and escapes what data brings into a line.
func tidy(_ []string, a slog.Attr) slog.Attr {
	switch {
	case a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime:
		return slog.String(a.Key, stamp(a.Value.Time()))
	case a.Value.Kind() == slog.KindString:
		return slog.String(a.Key, lang.Printable(a.Value.String()))
	}
	return a
}

func (l *runLog) info(text string, attributes ...any) { l.log.Info(text, attributes...) }

// connecting says where each of the flow's connections goes.
func (l *runLog) connecting(f *planner.Flow, t target) {
	var attributes []any
	for _, c := range f.Connections() {
		attributes = append(attributes, c.Name, t.describe(c))
	}
	l.info("connecting", attributes...)
}

// notice writes what a connection reports.
func (l *runLog) notice(n connectors.Notice) { logNotice(l.log, n) }

func logNotice(log *slog.Logger, n connectors.Notice) {
	level := slog.LevelInfo
	if n.Warning {
		level = slog.LevelWarn
	}
	log.Log(context.Background(), level, n.Text, n.Attributes...)
}

// event writes what the executor reports; epochs only now and then, see progress.
func (l *runLog) event(e exec.Event) {
	l.mu.Lock()
	l.epoch, l.totals = e.Epoch, e.Totals
	if e.Kind == exec.Admitted {
		l.begun = true
	}
	l.mu.Unlock()
	switch e.Kind {
	case exec.Admitted:
		l.info("admitted", "ledger", e.Text, "after epoch", e.Epoch)
		for _, line := range e.Lines {
			l.info("changed since the last run", "setting", line)
		}
	case exec.Announced:
		for _, line := range e.Lines {
			l.info("first run: " + line)
		}
	case exec.Standby:
		l.info(fmt.Sprintf("standby: the flow is run by %s; this process takes over when that one ends", e.Owner), "since", stamp(e.Owner.Started))
	case exec.TookOver:
		l.info(fmt.Sprintf("took the flow over from %s", e.Owner), "after epoch", e.Epoch)
	case exec.Retrying:
		if e.After == 0 {
			l.info("going back to the last certified position", "after epoch", e.Epoch-1, "reason", e.Err.Error())
			return
		}
		if e.Phase == exec.Acknowledging {
			l.log.Warn("the epoch is certified, and its acknowledgement failed; what comes again is suppressed", "epoch", e.Epoch, "error", e.Err.Error(), "wait", e.After.String())
			return
		}
		l.log.Warn("the epoch is not certified and is tried again", "epoch", e.Epoch, "error", e.Err.Error(), "try", e.Try, "wait", e.After.String())
	case exec.Recovered:
		l.info("reading goes on from the last certified position", "after epoch", e.Epoch)
	}
}

// admitted says whether the flow got as far as reading.
func (l *runLog) admitted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

// progress tells of it until stop, where nothing shows it better.
func (l *runLog) progress() {
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-tick.C:
			l.writeProgress()
		}
	}
}

func (l *runLog) writeProgress() {
	l.mu.Lock()
	now, before, epoch := l.totals, l.written, l.epoch
	l.written = now
	l.mu.Unlock()
	if now.Epochs == before.Epochs {
		return
	}
	rate := float64(now.Read-before.Read) / progressInterval.Seconds()
	l.info("certified", "epoch", epoch, "read", now.Read, "written", now.Written, "per second", int64(rate), "pending", now.Pending)
}

func (l *runLog) stop() { l.once.Do(func() { close(l.done) }) }
