package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// signals turns SIGINT and SIGTERM into an orderly end: the first closes stop,
// the second, or the end of the grace time, cancels the context.
type signals struct {
	context context.Context
	stop    chan struct{}
	first   os.Signal // valid once stop is closed

	cancel context.CancelCauseFunc
	came   chan os.Signal
	done   chan struct{}
	once   sync.Once
	log    *slog.Logger
}

// cut says that a signal ended a run before its open epoch was certified.
type cut struct {
	signal os.Signal
	why    string
}

func (c *cut) Error() string {
	return fmt.Sprintf("%s: the open epoch was dropped, not certified and not acknowledged; it is read again at the next start", c.why)
}

func (c *cut) number() int { return numberOf(c.signal) }

func numberOf(s os.Signal) int {
	if s, ok := s.(syscall.Signal); ok {
		return int(s)
	}
	return 0
}

// echo is how soon after the first signal another one is the same: timeout(1) and
// terminals signal both a process and its group.
const echo = 250 * time.Millisecond

// lastResort is how long an aborted run may take to let go of its connections.
const lastResort = time.Second

func watchSignals(parent context.Context, grace time.Duration, log *slog.Logger) *signals {
	s := &signals{stop: make(chan struct{}), came: make(chan os.Signal, 2), done: make(chan struct{}), log: log}
	s.context, s.cancel = context.WithCancelCause(parent)
	signal.Notify(s.came, syscall.SIGINT, syscall.SIGTERM)
	go s.watch(grace)
	return s
}

func (s *signals) watch(grace time.Duration) {
	select {
	case <-s.done:
		return
	case s.first = <-s.came:
	}
	s.log.Info("closing the open epoch; a second signal aborts it", "signal", s.first.String())
	close(s.stop)
	end := &cut{signal: s.first, why: fmt.Sprintf("the grace time of %s is over", grace)}
	graceOver, came := time.After(grace), time.Now()
	for waiting := true; waiting; {
		select {
		case <-s.done:
			return
		case second := <-s.came:
			if waiting = time.Since(came) < echo; !waiting {
				end = &cut{signal: second, why: "a second signal"}
			}
		case <-graceOver:
			waiting = false
		}
	}
	s.cancel(end)
	select {
	case <-s.done:
	case <-time.After(lastResort):
		fmt.Fprintf(os.Stderr, "error: %v\n", end)
		os.Exit(statusSignal + end.number())
	}
}

// interrupt is as if a person had pressed Ctrl-C, where the terminal makes no signal
// of it.
func (s *signals) interrupt() {
	select {
	case s.came <- syscall.SIGINT:
	default: // two of them wait already
	}
}

// stopped says whether the first signal came.
func (s *signals) stopped() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

func (s *signals) release() {
	s.once.Do(func() {
		signal.Stop(s.came)
		close(s.done)
		s.cancel(nil)
	})
}
