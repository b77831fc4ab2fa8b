package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// bound is how long a condition that must come true may take to do so.
const bound = 30 * time.Second

// eventually waits for a condition.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	within(t, bound, what, condition)
}

// within waits for a condition for at most so long.
func within(t *testing.T, bound time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(bound)
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("not within %s: %s", bound, what)
		case <-poll.C:
		}
	}
}

// process is flowc as a process of its own.
type process struct {
	t         *testing.T
	command   *exec.Cmd
	out, errs output
	gone      chan struct{} // closed after the process ended
}

// environment is what flowc is given as a process of its own, which knows no context.
func environment(t *testing.T, more ...string) []string {
	t.Helper()
	return append(more, "PATH="+os.Getenv("PATH"), "XDG_CONFIG_HOME="+t.TempDir(), quickExit)
}

// start starts flowc. Whatever still runs of it when the test ends is killed.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, command: exec.Command("flowc", args...), gone: make(chan struct{})}
	p.command.Env = environment(t)
	p.command.Stdout, p.command.Stderr = &p.out, &p.errs
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait() // its status is read from ProcessState
		close(p.gone)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.gone
		p.sound()
		if t.Failed() {
			t.Logf("flowc %q, process %d\n%s%s", args, p.command.Process.Pid, p.out.String(), p.errs.String())
		}
	})
	return p
}

// sound checks that the process met neither a race nor a panic.
func (p *process) sound() {
	for _, sign := range []string{"DATA RACE", "panic:", "fatal error:"} {
		if strings.Contains(p.errs.String(), sign) {
			p.t.Errorf("process %d: %s\n%s", p.command.Process.Pid, sign, p.errs.String())
		}
	}
}

func (p *process) signal(s syscall.Signal) {
	if err := p.command.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Errorf("signal %s: %v", s, err)
	}
}

// kill ends the process as a crash does.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.gone
}

func (p *process) ended() bool {
	select {
	case <-p.gone:
		return true
	default:
		return false
	}
}

// says waits for a text on stderr.
func (p *process) says(text string) {
	p.t.Helper()
	said := func() bool { return strings.Contains(p.errs.String(), text) }
	eventually(p.t, "flowc says "+text, func() bool { return said() || p.ended() })
	if !said() {
		p.t.Fatalf("flowc ended and did not say %s", text)
	}
}

// ends waits for the process's own end within a time, and checks its status.
func (p *process) ends(status int, within time.Duration) {
	p.t.Helper()
	p.awaitEnd(within)
	if got := p.command.ProcessState.ExitCode(); got != status {
		p.t.Errorf("expected status %d, found %d", status, got)
	}
}

// stops tells the process to stop, and waits for its end in good order within a time.
func (p *process) stops(within time.Duration) {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.ends(statusDone, within)
}

func (p *process) awaitEnd(within time.Duration) {
	p.t.Helper()
	select {
	case <-p.gone:
	case <-time.After(within):
		p.t.Fatalf("flowc still runs after %s", within)
	}
}

// output collects what flowc writes, in a process of its own or from any goroutine of
// this one. It is safe for concurrent use.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
