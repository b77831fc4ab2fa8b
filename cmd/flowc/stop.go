package main

import "sync"

// stop is what stops one flow: what stops all of them, or a command.
type stop struct {
	closed   chan struct{}
	released chan struct{}
	once     sync.Once
	done     sync.Once
}

func stopAfter(all <-chan struct{}) *stop {
	s := &stop{closed: make(chan struct{}), released: make(chan struct{})}
	go func() {
		select {
		case <-all:
			s.close()
		case <-s.released:
		}
	}()
	return s
}

func (s *stop) close() { s.once.Do(func() { close(s.closed) }) }

func (s *stop) release() { s.done.Do(func() { close(s.released) }) }

func (s *stop) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}
