package viewer

import (
	"bufio"
	"fmt"
	"io"

	"github.com/flowlang/flow/lang"
)

// Printing leaves the screen while it prints, and comes back once a person presses
// Enter. It implements tea.ExecCommand.
type Printing struct {
	// Print writes what is asked for, in which nothing may drive the terminal. What it
	// fails with is shown, too.
	Print func(out, errs io.Writer) error
	// Until ends the wait for Enter, if it is not nil.
	Until <-chan struct{}

	in        io.Reader
	out, errs io.Writer
}

// Run implements tea.ExecCommand.
func (p *Printing) Run() error {
	err := p.Print(p.out, p.errs)
	if err != nil {
		fmt.Fprintf(p.errs, "error: %s\n", lang.Printable(err.Error()))
	}
	fmt.Fprint(p.errs, "Enter goes back to the viewer ")
	entered := make(chan struct{})
	go func() {
		_, _ = bufio.NewReader(p.in).ReadString('\n') // whatever it is, it is the end
		close(entered)
	}()
	select {
	case <-entered:
	case <-p.Until:
	}
	return err
}

// SetStdin implements tea.ExecCommand.
func (p *Printing) SetStdin(r io.Reader) { p.in = r }

// SetStdout implements tea.ExecCommand.
func (p *Printing) SetStdout(w io.Writer) { p.out = w }

// SetStderr implements tea.ExecCommand.
func (p *Printing) SetStderr(w io.Writer) { p.errs = w }
