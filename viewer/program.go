package viewer

import (
	"context"
	"errors"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
)

// ErrNoTerminal says that there is no terminal to draw on.
var ErrNoTerminal = errors.New("standard input and output are no terminal")

// framesPerSecond bounds how often the terminal is written to.
const framesPerSecond = 10

// Run shows the viewer until a person quits it, the runs that it was started with are
// over, or the context ends. The terminal is left as it was, whatever happens.
// ErrNoTerminal says that it was not begun.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	if !IsTerminal(in) || !IsTerminal(out) {
		return ErrNoTerminal
	}
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithFPS(framesPerSecond), tea.WithInput(in), tea.WithOutput(out),
		tea.WithoutSignalHandler()} // signals are the caller's, and end the context
	switch o.Color {
	case "always":
		options = append(options, tea.WithColorProfile(colorprofile.ANSI256))
	case "never":
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	_, err := tea.NewProgram(New(o), options...).Run()
	if ctx.Err() != nil { // which is no failure of the viewer
		err = nil
	}
	return err
}

// IsTerminal says whether a stream is a terminal.
func IsTerminal(stream any) bool {
	file, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(file.Fd())
}

// Width is that of a terminal in cells; 0 if the stream is none.
func Width(stream any) int {
	if !IsTerminal(stream) {
		return 0
	}
	width, _, err := term.GetSize(stream.(interface{ Fd() uintptr }).Fd())
	if err != nil {
		return 0
	}
	return width
}

// OnlyASCII says whether the terminal cannot be trusted to show more than ASCII: its
// locale is not UTF-8, or it is the console of Linux, or it knows nothing of itself.
func OnlyASCII(getenv func(string) string) bool {
	if t := getenv("TERM"); t == "dumb" || t == "linux" {
		return true
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := getenv(name); locale != "" {
			upper := strings.ToUpper(locale)
			return !strings.Contains(upper, "UTF-8") && !strings.Contains(upper, "UTF8")
		}
	}
	return true
}
