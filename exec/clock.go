package exec

import (
	"sync"
	"time"
)

// clock divides the time of a run among its phases. Every moment belongs to one: to
// what is written or, while that waits for something to write, to what is read.
type clock struct {
	mu      sync.Mutex
	writing Phase // Reading while there is nothing to write
	reading Phase
	since   time.Time
	times   [phases]time.Duration
}

func (c *clock) start() { c.writing, c.since = Recovering, time.Now() }

// write says what is done for the epoch that is written, or between epochs.
func (c *clock) write(p Phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	c.writing = p
}

// read says what is done for the epoch that is read ahead.
func (c *clock) read(p Phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	c.reading = p
}

// soFar is how long each phase took until now.
func (c *clock) soFar() [phases]time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	return c.times
}

func (c *clock) count() {
	p := c.writing
	if p == Reading {
		p = c.reading
	}
	now := time.Now()
	c.times[p] += now.Sub(c.since)
	c.since = now
}
