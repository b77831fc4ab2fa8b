package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/viewer"
)

// The statuses of flowc.
const (
	statusDone        = 0
	statusFailed      = 1
	statusUsage       = 2
	statusSurrounding = 3
	statusSignal      = 128 // and the signal's number
)

// failure ends flowc with a status. What a person has to know of it may be
// printed already: then err is nil.
type failure struct {
	status int
	err    error
}

func (f *failure) Error() string {
	if f.err == nil {
		return fmt.Sprintf("status %d", f.status)
	}
	return f.err.Error()
}

func (f *failure) Unwrap() error { return f.err }

func usagef(format string, args ...any) error {
	return &failure{status: statusUsage, err: fmt.Errorf(format, args...)}
}

func surrounding(err error) error { return &failure{status: statusSurrounding, err: err} }

// status prints what a command returned and is not printed yet.
func (a *app) status(err error) int {
	if err == nil {
		return statusDone
	}
	f, ok := errors.AsType[*failure](err)
	if !ok {
		f = &failure{status: statusUsage, err: usageText(err)} // cobra's own
	}
	if f.err != nil {
		a.printError(f.err)
	}
	return f.status
}

// usageText puts cobra's several lines with suggestions onto one, and adds what is
// meant by a file in the place of a command.
func usageText(err error) error {
	text, suggestion, found := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if !found {
		if strings.HasPrefix(text, "unknown command ") && strings.Contains(text, `.flow"`) {
			return fmt.Errorf("%w; a flow is run with flowc run FILE", err)
		}
		return err
	}
	return fmt.Errorf("%s; did you mean %s?", text, strings.Join(strings.Fields(suggestion), " or "))
}

// printError prints an error for a person, and what to do about it.
func (a *app) printError(err error) {
	fmt.Fprintf(a.errs, "%s %s\n", a.paint("1;31", "error:"), lang.Printable(err.Error()))
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Help != "" {
		fmt.Fprintf(a.errs, "  help: %s\n", lang.Printable(e.Help))
	}
}

func (a *app) paint(style, text string) string {
	if !a.colored() {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// colored says whether stderr, where everything painted goes, takes escape codes.
func (a *app) colored() bool {
	switch a.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && os.Getenv("TERM") != "" && viewer.IsTerminal(a.errs)
}

// runStatus is the status after a run that failed. Before the flow was admitted
// a failure that might pass is one of the surroundings too.
func runStatus(err error, admitted bool) int {
	if s, ok := errors.AsType[*cut](err); ok {
		return statusSignal + s.number()
	}
	if _, ok := errors.AsType[*exec.RowFault](err); ok {
		return statusFailed
	}
	switch class := connectors.ClassOf(err); {
	case class == connectors.Refused:
		return statusUsage
	case class == connectors.Environment, !admitted && class != connectors.Permanent:
		return statusSurrounding
	}
	return statusFailed
}
