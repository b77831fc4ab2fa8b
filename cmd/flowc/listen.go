package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/monitor/metrics"
	"github.com/flowlang/flow/planner"
)

// listener serves metrics and health over HTTP; nil serves nothing.
type listener struct {
	socket  net.Listener
	metrics *metrics.Metrics
	server  http.Server
	runs    []*followed
}

// checkListen judges the address of --listen without using it.
func checkListen(address string) error {
	if address == "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return usagef("--listen is HOST:PORT such as 127.0.0.1:9090, found %q", address)
	}
	return nil
}

// listen opens the address, if there is one, and answers once it is told to serve.
func listen(address string) (*listener, error) {
	if address == "" {
		return nil, nil
	}
	socket, err := net.Listen("tcp", address)
	if err != nil {
		failed := connectors.Errorf(connectors.Environment, "--listen %s: %w", address, err)
		switch {
		case errors.Is(err, syscall.EADDRINUSE):
			failed = connectors.Errorf(connectors.Environment, "--listen %s: another process listens there already", address).
				WithHelp("choose another port, or 0 for any that is free")
		case errors.Is(err, syscall.EADDRNOTAVAIL):
			failed = failed.WithHelp("the host is not an address of this machine")
		case errors.Is(err, syscall.EACCES):
			failed = failed.WithHelp("ports below 1024 need a privilege")
		}
		return nil, surrounding(failed)
	}
	return &listener{socket: socket, metrics: metrics.New()}, nil
}

// phase is what takes the phases of a flow's epochs; nil if nobody wants them.
func (l *listener) phase(f *planner.Flow) func(string, float64) {
	if l == nil {
		return nil
	}
	return l.metrics.Phase(f.Flow)
}

// add shows another run, before serve.
func (l *listener) add(run *followed) {
	if l != nil {
		l.runs = append(l.runs, run)
		l.metrics.Add(run.recorder)
	}
}

// serve answers until close.
func (l *listener) serve(log *slog.Logger) {
	if l == nil {
		return
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", l.metrics.Handler())
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", l.ready)
	l.server.Handler, l.server.ReadHeaderTimeout = mux, 5*time.Second
	l.server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelDebug)
	log.Info("listening", "address", l.socket.Addr().String(), "paths", "/metrics /livez /readyz")
	go func() { _ = l.server.Serve(l.socket) }() // it ends with close
}

// ready says whether every flow does its work, and of each that does not why.
func (l *listener) ready(w http.ResponseWriter, _ *http.Request) {
	var reasons []string
	for _, r := range l.runs {
		if why := r.recorder.Snapshot().Unready(patience(r)); why != "" {
			reasons = append(reasons, fmt.Sprintf("flow %s: %s", r.flow.Flow, why))
		}
	}
	if reasons == nil {
		answer(w, http.StatusOK, "ok")
		return
	}
	answer(w, http.StatusServiceUnavailable, strings.Join(reasons, "\n"))
}

// leastPatience is how long any flow may take to certify something.
const leastPatience = time.Minute

// patience is how long a flow may take to certify what there is to read: three epochs
// that wait for as long as they may.
func patience(r *followed) time.Duration { return max(3*r.flow.Epoch.MaxWait, leastPatience) }

func answer(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	for line := range strings.SplitSeq(text, "\n") {
		_, _ = fmt.Fprintln(w, lang.Printable(line)) // whoever asked may be gone
	}
}

func (l *listener) close() {
	if l != nil {
		_ = l.server.Close()
		_ = l.socket.Close() // which is closed already, unless nothing was served
	}
}
