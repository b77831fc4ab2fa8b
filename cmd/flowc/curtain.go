package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// curtain keeps what is written until it is raised. It is safe for concurrent use.
type curtain struct {
	to io.Writer

	mu     sync.Mutex
	kept   bytes.Buffer
	lost   int
	raised bool
}

// maxKept bounds what a curtain keeps, in bytes.
const maxKept = 1 << 20

// Write implements io.Writer.
func (c *curtain) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.raised:
		return c.to.Write(text)
	case c.kept.Len()+len(text) > maxKept:
		c.lost += len(text)
		return len(text), nil
	}
	return c.kept.Write(text)
}

// raise writes what was kept, and from then on everything at once.
func (c *curtain) raise() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raised = true
	_, _ = c.kept.WriteTo(c.to) // as whoever wrote it would see
	if c.lost > 0 {
		fmt.Fprintf(c.to, "... and %d bytes more\n", c.lost)
	}
}

// muted drops what is written until the curtain is raised.
type muted struct{ behind *curtain }

// Write implements io.Writer.
func (m muted) Write(text []byte) (int, error) {
	m.behind.mu.Lock()
	defer m.behind.mu.Unlock()
	if !m.behind.raised {
		return len(text), nil
	}
	return m.behind.to.Write(text)
}
