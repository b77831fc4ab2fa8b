package main

import (
	"context"
	"encoding/json"
	"strings"
	"syscall"
	"time"

	"github.com/flowlang/flow/exec"
)

// crew are the workers of one flow, of which one runs it and the others stand by,
// each behind links of its own to the nodes. One that ends is started again, as a
// service manager does.
type crew struct {
	a       *arena
	file    string
	links   [][]*proxy // by member and node
	members []*process
	all     []*process // that ever were members
}

func newCrew(a *arena, size int) *crew {
	c := &crew{a: a, file: writeFile(a.t, "orders.flow", a.scenario.flow), links: make([][]*proxy, size), members: make([]*process, size)}
	for i := range c.links {
		for _, node := range a.cluster.Nodes {
			c.links[i] = append(c.links[i], newProxy(a.t, node.URL()))
		}
	}
	return c
}

func (c *crew) start(i int) *process {
	urls := make([]string, len(c.links[i]))
	for at, link := range c.links[i] {
		urls[at] = link.url()
	}
	p := start(c.a.t, "run", "--server", strings.Join(urls, ","), c.file)
	c.all = append(c.all, p)
	return p
}

// tend starts whoever is missing. A worker that ran the flow ends by itself only
// where it was taken over; one that found no cluster at its start may, too.
func (c *crew) tend() {
	c.a.t.Helper()
	for i, p := range c.members {
		if p != nil && !p.ended() {
			continue
		}
		if p != nil && p.command.ProcessState.Exited() && strings.Contains(p.errs.String(), "msg=admitted") && !strings.Contains(p.errs.String(), "another owner has taken over") {
			c.a.t.Errorf("process %d ended with status %d while it ran the flow", p.command.Process.Pid, p.command.ProcessState.ExitCode())
		}
		c.members[i] = c.start(i)
	}
}

// recovery is how long a cluster may take to be whole again on a busy machine, where
// its elections may fail a few times.
const recovery = 90 * time.Second

// until waits for a condition, and keeps the crew at work meanwhile.
func (c *crew) until(what string, condition func() bool) {
	c.a.t.Helper()
	within(c.a.t, recovery, what, func() bool {
		c.tend()
		return condition()
	})
}

// pause lets time pass in which nothing else is disturbed.
func (c *crew) pause(d time.Duration) {
	over := time.Now().Add(d)
	c.until("a pause is over", func() bool { return time.Now().After(over) })
}

// owner is the member that holds the flow, by the ledger's newest record.
func (c *crew) owner() int {
	c.a.t.Helper()
	at := -1
	c.until("a member of the crew owns the flow", func() bool {
		last, ok := c.a.lastRecord()
		for i, p := range c.members {
			if ok && p.command.Process.Pid == last.Owner.PID {
				at = i
			}
		}
		return at >= 0
	})
	return at
}

// lastRecord is the newest one of the flow's ledger, if it can be read now.
func (w *world) lastRecord() (r exec.Record, ok bool) {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Second)
	defer cancel()
	s, err := w.js.Stream(ctx, "FLOW_LEDGER")
	if err != nil {
		return r, false
	}
	m, err := s.GetLastMsgForSubject(ctx, "flow.ledger.default.orders.epoch")
	if err != nil {
		return r, false
	}
	return r, json.Unmarshal(m.Data, &r) == nil
}

// stop ends the crew in order. Whoever was taken over while an epoch of its own waits
// for another try, as after a node was killed, has not noticed yet: the signal cuts that.
func (c *crew) stop() {
	c.a.t.Helper()
	for _, p := range c.members {
		p.signal(syscall.SIGTERM)
	}
	for _, p := range c.members {
		expected := statusDone
		if p.awaitEnd(bound); strings.Contains(p.errs.String(), "stopped before the open epoch was certified") {
			expected = statusSignal + int(syscall.SIGTERM)
		}
		p.ends(expected, bound)
	}
}

// linesEach bounds what a worker says about one disturbance.
const linesEach = 12

// quiet checks that no worker flooded its log.
func (c *crew) quiet() {
	c.a.t.Helper()
	lines := 0
	for _, p := range c.all {
		lines += strings.Count(p.errs.String(), "\n") - strings.Count(p.errs.String(), "msg=certified ")
	}
	if most := linesEach * (len(c.a.events) + len(c.all)); lines > most {
		c.a.t.Errorf("expected at most %d lines of log from %d workers, found %d", most, len(c.all), lines)
	}
}
