package main

import (
	"log/slog"
	"sync"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/monitor/record"
	"github.com/flowlang/flow/planner"
)

// followed is one flow of a run, and all that follows it.
type followed struct {
	flow     *planner.Flow
	recorder *record.Recorder
	log      *runLog
	stop     *stop

	mu     sync.Mutex
	ledger connectors.Ledger // nil before the flow is admitted
}

func follow(f *planner.Flow, r running, l *listener, s *signals, log *slog.Logger) *followed {
	one := &followed{flow: f, stop: stopAfter(s.stop)}
	about := record.About{File: f.File(), Version: version(), Data: r.exposeData, Phase: l.phase(f)}
	if r.allowControl {
		about.Stop = one.stop.close
	}
	one.recorder = record.New(f, about)
	l.add(one)
	one.log = newRunLog(slog.New(one.recorder.Handler(log.Handler())), f.Flow)
	return one
}

// options are those of the flow's run.
func (f *followed) options(o exec.Options, connected func(*followed)) exec.Options {
	o.Stop, o.OnNotice = f.stop.closed, f.log.notice
	o.OnEvent = func(e exec.Event) {
		f.log.event(e)
		if e.Kind == exec.Admitted {
			f.mu.Lock()
			f.ledger = e.Ledger
			f.mu.Unlock()
		}
		if e.Kind == exec.Connected {
			connected(f)
		}
	}
	return f.recorder.Attach(o)
}

// openedLedger is the run's own, once it has one.
func (f *followed) openedLedger() connectors.Ledger {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ledger
}

// end says that the run is over; it may be said again.
func (f *followed) end() {
	f.recorder.Ended()
	f.log.stop()
	f.stop.release()
}
