// Command flowc checks, tests and runs flows, and shows what they certified.
//
// It reads flags and files, registers the connectors, and prints; what flows
// mean and do lives in lang, planner and exec.
//
// What always holds: data goes to stdout and everything else to stderr; text
// that comes from data, files or servers is printed with its control characters
// escaped; the status is 0 when done, 1 when a run or a test failed or a file is
// not in canonical form, 2 for a bad program or usage, 3 when the surroundings are
// not fit, and 128 plus the signal's number after a signal that cut an epoch.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
)

func main() {
	tuneCollector()
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main runs flowc with these arguments and streams, and returns its status.
func Main(args []string, in io.Reader, out, errs io.Writer) int {
	written := &watched{to: out}
	a := &app{in: in, out: written, terminal: out, errs: errs, kinds: []connectors.Kind{nats.Kind()}}
	root := a.root()
	root.SetArgs(args)
	status := a.status(root.Execute())
	if written.err != nil && status == statusDone {
		a.printError(fmt.Errorf("writing the output: %w", written.err))
		return statusFailed
	}
	return status
}

// watched remembers that a write failed, which nothing that prints looks at.
type watched struct {
	to  io.Writer
	err error
}

func (w *watched) Write(b []byte) (int, error) {
	if _, err := w.to.Write(b); err != nil && w.err == nil {
		w.err = err
	}
	return len(b), nil
}

// app is what every command needs.
type app struct {
	in        io.Reader
	out, errs io.Writer
	terminal  io.Writer // what out is, as it was given
	view      *view     // nil without --tui
	kinds     []connectors.Kind

	color     string // auto, always or never
	namespace string
}
