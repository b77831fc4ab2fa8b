package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// confirm asks a person, on a terminal, unless the flags say yes. Without one nothing is
// asked and nothing is done.
func (a *app) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usagef("this asks for a confirmation, and standard input is no terminal: add --yes")
	}
	fmt.Fprintf(a.errs, "%s [y/N] ", question)
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return &failure{status: statusFailed, err: fmt.Errorf("reading the answer: %w", err)}
	}
	if answer == "" { // as /dev/null, which passes for a terminal
		return &failure{status: statusFailed, err: errors.New("no answer came, so nothing was changed: --yes does it without asking")}
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return &failure{status: statusFailed, err: errors.New("not confirmed, so nothing was changed")}
}

// isTerminal says whether a stream is a terminal, or another character device.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
