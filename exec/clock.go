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
	began   time.Time
	since   time.Time // until when the time is divided
	entered time.Time // when the phase began to which it goes now
	rested  time.Time // when it last had nothing to do; zero if it never did
	times   [phases]time.Duration
	epoch   [phases]time.Duration // of the epoch that is written
}

func (c *clock) start() {
	now := time.Now()
	c.writing, c.began, c.since, c.entered = Recovering, now, now, now
}

// begin says that an epoch is to be written, and how long it took until now.
func (c *clock) begin(spent [phases]time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch = spent
}

// write says what is done for the epoch that is written, or between epochs.
func (c *clock) write(p Phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	c.writing, c.entered = p, c.since
	if p == Reading {
		c.epoch = [phases]time.Duration{}
	}
}

// read says what is done for the epoch that is read ahead.
func (c *clock) read(p Phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	c.reading = p
	if c.writing == Reading {
		c.entered = c.since
	}
}

// idle says whether reading waits since there is nothing to read.
func (c *clock) idle(yes bool) {
	if yes {
		c.read(Idling)
	} else {
		c.read(Reading)
	}
}

// soFar is how long each phase took until now, and all of them together.
func (c *clock) soFar() ([phases]time.Duration, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	return c.times, c.since.Sub(c.began)
}

// lastRest is when the run last had nothing to do.
func (c *clock) lastRest() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	return c.rested
}

// now is the phase to which the time goes, when it began, how long the epoch that is
// written took so far, and what is done for the one that is read.
func (c *clock) now() (p Phase, since time.Time, spent [phases]time.Duration, ahead Phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	return c.present(), c.entered, c.epoch, c.reading
}

func (c *clock) present() Phase {
	if c.writing == Reading {
		return c.reading
	}
	return c.writing
}

func (c *clock) count() {
	now := time.Now()
	p := c.present()
	c.times[p] += now.Sub(c.since)
	if p == Idling || p == Pausing || p == StandingBy {
		c.rested = now
	}
	if Applying <= c.writing && c.writing <= Acknowledging {
		c.epoch[c.writing] += now.Sub(c.since)
	}
	c.since = now
}
