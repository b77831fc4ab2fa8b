// Package terminal runs programs on a real terminal, tmux, for tests: it types keys,
// changes the size, and reads what is on the screen.
//
// It imports the standard library only, and is for tests. What always holds: each
// terminal has a server of its own, which is gone when the test ends.
package terminal

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// bound is how long a condition that must come true may take to do so.
const bound = 30 * time.Second

// Terminal is a program on a terminal.
type Terminal struct {
	t      *testing.T
	socket string
}

// Start runs a command on a terminal of a size, with these variables ("NAME=value")
// besides the test's own. The test is skipped where there is no tmux. The command's
// status is shown once it has ended.
func Start(t *testing.T, width, height int, env []string, command ...string) *Terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux")
	}
	dir := t.TempDir()
	x := &Terminal{t: t, socket: filepath.Join(dir, "tmux")}
	settings := filepath.Join(dir, "tmux.conf")
	if err := os.WriteFile(settings, []byte("set -g status off\nset -g default-terminal screen-256color\nset -s escape-time 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-f", settings, "new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height)}
	args = append(args, quoted(append(append([]string{"env"}, env...), command...))+`; echo "ended with status $?"; trap "" INT; exec cat`)
	x.tmux(args...)
	t.Cleanup(func() { x.tmux("kill-server") })
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the screen at the end:\n%s", x.Screen())
		}
	})
	return x
}

// quoted is a command as a shell reads it.
func quoted(command []string) string {
	parts := make([]string, len(command))
	for i, part := range command {
		parts[i] = "'" + strings.ReplaceAll(part, "'", `'\''`) + "'"
	}
	return strings.Join(parts, " ")
}

func (x *Terminal) tmux(args ...string) {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
}

// ask is what tmux answers.
func (x *Terminal) ask(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", x.socket}, args...)...).Output()
	if err != nil {
		x.t.Fatalf("tmux %q: %v", args, err)
	}
	return string(out)
}

// Screen is what is on the screen now, a line each.
func (x *Terminal) Screen() string {
	x.t.Helper()
	return x.ask("capture-pane", "-p")
}

// Painted is Screen with the escape codes of its colors.
func (x *Terminal) Painted() string {
	x.t.Helper()
	return x.ask("capture-pane", "-e", "-p")
}

// Keys types keys, by tmux's names: q, Enter, C-c.
func (x *Terminal) Keys(keys ...string) {
	x.t.Helper()
	x.tmux(append([]string{"send-keys"}, keys...)...)
}

// Type types a text as it is.
func (x *Terminal) Type(text string) {
	x.t.Helper()
	x.tmux("send-keys", "-l", text)
}

// Resize gives the terminal another size.
func (x *Terminal) Resize(width, height int) {
	x.t.Helper()
	x.tmux("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// Claim tells the program that its terminal has a size, which the screen does not get:
// 0x0, as some terminals say.
func (x *Terminal) Claim(width, height int) {
	x.t.Helper()
	tty := strings.TrimSpace(x.ask("display-message", "-p", "#{pane_tty}"))
	if out, err := exec.Command("stty", "-F", tty, "cols", strconv.Itoa(width), "rows", strconv.Itoa(height)).CombinedOutput(); err != nil {
		x.t.Fatalf("stty: %v\n%s", err, out)
	}
}

// Shows waits until all texts are on the screen at once, and returns it.
func (x *Terminal) Shows(texts ...string) string {
	x.t.Helper()
	var last string
	x.until(fmt.Sprintf("shows %q", texts), func() bool {
		last = x.Screen()
		for _, text := range texts {
			if !strings.Contains(last, text) {
				return false
			}
		}
		return true
	})
	return last
}

// Lacks waits until a text is not on the screen.
func (x *Terminal) Lacks(text string) {
	x.t.Helper()
	x.until(fmt.Sprintf("lacks %q", text), func() bool { return !strings.Contains(x.Screen(), text) })
}

// Ends waits until the command has ended with a status, and returns the screen that it
// left.
func (x *Terminal) Ends(status int) string {
	x.t.Helper()
	return x.Shows(fmt.Sprintf("ended with status %d", status))
}

func (x *Terminal) until(what string, condition func() bool) {
	x.t.Helper()
	deadline := time.After(bound)
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for !condition() {
		select {
		case <-deadline:
			x.t.Fatalf("the terminal never %s", what)
		case <-poll.C:
		}
	}
}
