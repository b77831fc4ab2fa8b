// Package embedded runs a NATS server with JetStream inside the process, and
// fills it with seed messages: for `flowc run --embedded`, for examples and tests.
//
// It imports the server, the NATS client, and a library that locks files. What always holds: the server listens on loopback only,
// on a port that was free, and a store directory has one server at a time.
package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
)

// Server is a running server.
type Server struct {
	server *server.Server
	lock   *flock.Flock // of a directory that was given
	remove string       // a temporary directory
}

// Name is what every such server calls itself.
const Name = "flow-embedded"

// readyTimeout bounds how long a server may take to accept connections.
const readyTimeout = 10 * time.Second

// Start starts a server that keeps its store in dir, or in a temporary directory
// which Stop removes if dir is empty.
func Start(dir string) (*Server, error) {
	s := &Server{}
	if err := s.prepare(&dir); err != nil {
		return nil, err
	}
	if err := s.start(dir); err != nil {
		s.cleanUp()
		return nil, err
	}
	return s, nil
}

func (s *Server) prepare(dir *string) error {
	if *dir == "" {
		temporary, err := os.MkdirTemp("", "flow-embedded-")
		if err != nil {
			return fmt.Errorf("making a directory for the embedded server: %w", err)
		}
		*dir, s.remove = temporary, temporary
		return nil
	}
	if err := os.MkdirAll(*dir, 0o755); err != nil {
		return fmt.Errorf("making the embedded server's directory: %w", err)
	}
	lock := flock.New(filepath.Join(*dir, "flow.lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("locking the embedded server's directory: %w", err)
	}
	if !locked {
		return fmt.Errorf("the directory %s is in use by another embedded server; two would damage each other's store", *dir)
	}
	s.lock = lock
	return nil
}

func (s *Server) start(dir string) error {
	srv, err := server.NewServer(&server.Options{
		ServerName: Name, Host: "127.0.0.1", Port: server.RANDOM_PORT,
		JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return fmt.Errorf("setting up the embedded server: %w", err)
	}
	s.server = srv
	srv.Start()
	if !srv.ReadyForConnections(readyTimeout) {
		srv.Shutdown()
		srv.WaitForShutdown()
		return errors.New("the embedded server did not become ready")
	}
	if !srv.JetStreamEnabled() {
		srv.Shutdown()
		srv.WaitForShutdown()
		return fmt.Errorf("the embedded server could not start JetStream in %s", dir)
	}
	return nil
}

// URL is where the server listens.
func (s *Server) URL() string { return s.server.ClientURL() }

// Temporary says whether the store goes with the server.
func (s *Server) Temporary() bool { return s.remove != "" }

// Stop shuts the server down in order and waits for it.
func (s *Server) Stop() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
	s.cleanUp()
}

func (s *Server) cleanUp() {
	if s.lock != nil {
		_ = s.lock.Unlock() // the process's end does the same
	}
	if s.remove != "" {
		_ = os.RemoveAll(s.remove) // it is in the system's temporary directory
	}
}
