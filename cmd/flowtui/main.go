// Command flowtui watches runs of flows on a terminal, wherever in a NATS account they
// run.
//
// It reads flags, connects, and hands the screen to the package viewer. It imports no
// connector and starts no run. What always holds: it changes nothing but what a person
// confirms, at a run that allows it; without a terminal it says so.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/flowlang/flow/lang"
)

// The statuses of flowtui are those of flowc.
const (
	statusDone        = 0
	statusFailed      = 1
	statusUsage       = 2
	statusSurrounding = 3
)

func main() { os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// Main runs flowtui with these arguments and streams, and returns its status.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	root := command(in, out, errs)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch f, known := errors.AsType[*failure](err); {
	case err == nil:
		return statusDone
	case known:
		fmt.Fprintf(errs, "error: %s\n", lang.Printable(f.Error()))
		return f.status
	}
	fmt.Fprintf(errs, "error: %s\n", lang.Printable(err.Error())) // cobra's own
	return statusUsage
}

// failure ends flowtui with a status.
type failure struct {
	status int
	err    error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

func usagef(format string, args ...any) error {
	return &failure{statusUsage, fmt.Errorf(format, args...)}
}
