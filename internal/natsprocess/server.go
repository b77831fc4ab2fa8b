package natsprocess

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Server is a NATS server with JetStream that a test may kill and start again.
// Its methods are for the test's own goroutine, and fail the test if they cannot
// do what they say.
type Server struct {
	t     testing.TB
	dir   string // of the store, the configuration, and the file that tells the port
	url   string // empty until the first start chose a port
	child *child // nil while no process runs
}

// child is one process of a Server.
type child struct {
	command *exec.Cmd
	log     bytes.Buffer  // complete once gone is closed
	gone    chan struct{} // closed after the process ended
}

const (
	readyTimeout = 20 * time.Second
	stopTimeout  = 20 * time.Second
	pollInterval = 5 * time.Millisecond
)

// Start starts a server with an empty store, and stops it when the test ends.
func Start(t testing.TB) *Server {
	t.Helper()
	return StartConfigured(t, "")
}

// StartConfigured is Start with more of the server's configuration.
func StartConfigured(t testing.TB, config string) *Server {
	t.Helper()
	s := launchNew(t, "", config)
	s.awaitPort()
	return s
}

// launchNew launches a server with an empty store, at an address if one is given, and
// stops it when the test ends. Config is the server's besides what all have.
func launchNew(t testing.TB, address, config string) *Server {
	t.Helper()
	s := &Server{t: t, dir: t.TempDir(), url: address}
	if err := os.WriteFile(s.config(), []byte("host: 127.0.0.1\njetstream {}\n"+config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.child != nil {
			s.Kill()
		}
	})
	s.launch()
	return s
}

func (s *Server) config() string { return filepath.Join(s.dir, "server.conf") }

// URL is where the server listens; it stays the same across restarts.
func (s *Server) URL() string { return s.url }

// Kill ends the process at once, as a crash does.
func (s *Server) Kill() {
	s.t.Helper()
	s.end(syscall.SIGKILL)
}

// Stop lets the server shut down in order, and waits for it.
func (s *Server) Stop() {
	s.t.Helper()
	s.end(syscall.SIGINT)
}

// LameDuck tells the server to send its clients away and to end after it.
func (s *Server) LameDuck() {
	s.t.Helper()
	s.signal(syscall.SIGUSR2)
}

// Freeze stops the process where it stands: its links stay, and nothing answers.
func (s *Server) Freeze() {
	s.t.Helper()
	s.signal(syscall.SIGSTOP)
}

// Thaw lets a frozen process go on.
func (s *Server) Thaw() {
	s.t.Helper()
	s.signal(syscall.SIGCONT)
}

// AwaitEnd waits until a server that was told to end is gone.
func (s *Server) AwaitEnd() {
	s.t.Helper()
	c := s.child
	s.child = nil
	select {
	case <-c.gone:
	case <-time.After(stopTimeout):
		_ = c.command.Process.Kill() // the report below is what matters
		s.t.Errorf("the NATS server did not end within %s", stopTimeout)
	}
}

// Restart starts a server that was killed or stopped, on its port and its store.
func (s *Server) Restart() {
	s.t.Helper()
	if s.child != nil {
		s.t.Fatal("restarting a NATS server that still runs")
	}
	s.launch()
	s.awaitPort()
}

// launch starts the process, which listens some time later.
func (s *Server) launch() {
	s.t.Helper()
	path, err := binary()
	if err != nil {
		s.t.Fatal(err)
	}
	port := "-1"
	if u, err := url.Parse(s.url); err == nil && s.url != "" {
		port = u.Port()
	}
	c := &child{gone: make(chan struct{})}
	c.command = exec.Command(path, "-p", port, "-sd", filepath.Join(s.dir, "store"), "--ports_file_dir", s.dir, "-c", s.config())
	c.command.Stdout, c.command.Stderr = &c.log, &c.log
	if err := c.command.Start(); err != nil {
		s.t.Fatalf("starting the NATS server: %v", err)
	}
	go func() {
		_ = c.command.Wait() // a killed process ends with an error
		close(c.gone)
	}()
	s.child = c
}

// awaitPort waits for the file in which the server tells where it listens.
func (s *Server) awaitPort() {
	s.t.Helper()
	c := s.child
	fail := func(why string) {
		s.Kill()
		s.t.Fatalf("starting the NATS server: %s\n%s", why, c.log.String())
	}
	file := filepath.Join(s.dir, fmt.Sprintf("nats-server_%d.ports", c.command.Process.Pid))
	deadline := time.After(readyTimeout)
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		if address, ok := readPort(file); ok {
			s.url = address.String()
			return
		}
		select {
		case <-poll.C:
		case <-c.gone:
			fail("it ended at once")
		case <-deadline:
			fail(fmt.Sprintf("it did not listen within %s", readyTimeout))
		}
	}
}

// readPort is the first address in a ports file; ok is false until it is complete.
func readPort(file string) (address *url.URL, ok bool) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, false
	}
	var ports struct {
		NATS []string `json:"nats"`
	}
	if json.Unmarshal(content, &ports) != nil || len(ports.NATS) == 0 {
		return nil, false
	}
	address, err = url.Parse(ports.NATS[0])
	return address, err == nil
}

// end signals the process and waits until it is gone.
func (s *Server) end(signal syscall.Signal) {
	s.t.Helper()
	s.signal(signal)
	s.AwaitEnd()
}

// signal reaches the process by its own handle, which outlives its number.
func (s *Server) signal(signal syscall.Signal) {
	s.t.Helper()
	if s.child == nil {
		s.t.Fatalf("sending %s to a NATS server that does not run", signal)
	}
	if err := s.child.command.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Errorf("sending %s to the NATS server: %v", signal, err)
	}
}
