package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/viewer"
)

// confirm asks a person, on a terminal, unless the flags say yes. Without a terminal
// nothing is asked and nothing is done.
func (a *app) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	if !viewer.IsTerminal(a.in) {
		return usagef("this asks for a confirmation, and standard input is no terminal: add --yes")
	}
	fmt.Fprintf(a.errs, "%s [y/N] ", lang.Printable(question))
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return &failure{status: statusFailed, err: fmt.Errorf("reading the answer: %w", err)}
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return &failure{status: statusFailed, err: errors.New("not confirmed, so nothing was changed")}
}
