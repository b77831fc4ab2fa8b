package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// handover is how soon a standby takes over from an owner that is lost.
const handover = 2 * time.Second

// owner publishes n more messages, and starts a process of a flow that has written them.
func (w *world) owner(file string, n int, more ...string) *process {
	w.t.Helper()
	w.publish(n)
	p := w.run(file, more...)
	w.reaches(w.published)
	return p
}

// standby starts a second process of a flow that is run by owner.
func (w *world) standby(owner *process, file string) *process {
	w.t.Helper()
	p := w.run(file)
	p.says(fmt.Sprintf("standby: the flow is run by process %d on host ", owner.command.Process.Pid))
	return p
}

// takesOver waits until a standby has taken over, which must be within a time.
func (p *process) takesOver(within time.Duration) {
	p.t.Helper()
	began := time.Now()
	p.says("took the flow over from process")
	took := time.Since(began)
	p.t.Logf("took over within %s", took)
	if took > within {
		p.t.Errorf("it took %s until the standby took over", took)
	}
}

// trickle publishes a message now and then until it is stopped.
func (w *world) trickle() (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			case <-time.After(20 * time.Millisecond):
				w.publish(1)
			}
		}
	}()
	return func() { close(over); <-done }
}

// TestStandbyTakesOver kills one owner after another, while messages come in.
func TestStandbyTakesOver(t *testing.T) {
	w := newWorld(t)
	file := w.flow("100/50ms")
	owner := w.owner(file, 1000)
	stop := w.trickle()
	for range drill(3, 30) {
		next := w.standby(owner, file)
		owner.kill()
		began := time.Now()
		next.says("took the flow over from process")
		w.reaches(w.stored("OUT") + 1)
		took := time.Since(began)
		t.Logf("took over and wrote within %s", took)
		if took > handover {
			t.Errorf("it took %s until the standby wrote", took)
		}
		owner = next
	}
	stop()
	w.reaches(w.published)
	owner.stops(soon)
	w.exactlyOnce()
	w.chain()
}

// TestFrozenOwner stops an owner in the middle, as a suspended machine does, so that
// its connection stays and nothing is heard of it. It must not do any harm when it
// wakes up.
func TestFrozenOwner(t *testing.T) {
	w := newWorld(t)
	file := w.flow("100/50ms")
	owner := w.owner(file, 1000)
	stop := w.trickle()
	next := w.standby(owner, file)
	owner.signal(syscall.SIGSTOP)
	next.takesOver(handover)
	w.reaches(w.stored("OUT") + 10)
	owner.signal(syscall.SIGCONT)
	owner.ends(statusFailed, bound)
	owner.says("another owner has taken over")
	stop()
	w.reaches(w.published)
	next.stops(soon)
	w.exactlyOnce()
	if got := claims(w.chain()); got < 2 {
		t.Errorf("found %d claims", got)
	}
}

// TestFrozenIdleOwner has an owner to which nothing was ever delivered, and which the
// server has therefore never pinned.
func TestFrozenIdleOwner(t *testing.T) {
	w := newWorld(t)
	file := w.flow("100/10m")
	owner := w.run(file)
	owner.says("msg=admitted")
	next := w.standby(owner, file)
	owner.signal(syscall.SIGSTOP)
	next.takesOver(handover + 2*time.Second) // the owner's claim is young
	w.publish(100)
	w.reaches(100)
	owner.signal(syscall.SIGCONT)
	owner.ends(statusFailed, bound)
	w.exactlyOnce()
}

func TestProcessesThatStartAtOnce(t *testing.T) {
	for range drill(2, 20) {
		w := newWorld(t)
		w.publish(500)
		file := w.flow("50/50ms")
		all := []*process{w.run(file), w.run(file)}
		is := func(p *process, text string) bool { return strings.Contains(p.errs.String(), text) }
		eventually(t, "one owns the flow and the other one stands by", func() bool {
			return is(all[0], "msg=admitted") && is(all[1], "standby: ") || is(all[1], "msg=admitted") && is(all[0], "standby: ")
		})
		w.reaches(500)
		for _, p := range all {
			p.stops(soon)
		}
		w.exactlyOnce()
		if got := claims(w.chain()); got > 2 { // the one that stood by may be the last to go
			t.Errorf("found %d claims", got)
		}
	}
}

func TestChangedFlowAndItsOwner(t *testing.T) {
	w := newWorld(t)
	owner := w.owner(w.flow("100/50ms"), 10)
	changed := writeFile(t, "orders.flow", `from nats "orders.>" epoch 100/50ms where id > 0 to nats stream "OUT" subject "out.v1" publish_timeout 1s`)
	p := w.run(changed)
	p.ends(statusUsage, soon)
	p.says(fmt.Sprintf("it is run by process %d on host ", owner.command.Process.Pid))
	p.says("+ where id > 0")
	p.says("--replace")
	w.publish(10)
	next := w.run(changed, "--replace", "--until", "caught-up")
	owner.ends(statusFailed, soon)
	owner.says("another owner has taken over")
	next.ends(statusDone, soon)
	w.exactlyOnce()
	w.chain()
}

// TestStandbyAndARestartedServer restarts the server under both: the owner is on its
// way back as well, so it keeps the flow.
func TestStandbyAndARestartedServer(t *testing.T) {
	w := newWorld(t)
	file := w.flow("100/50ms")
	owner := w.owner(file, 500)
	next := w.standby(owner, file)
	w.server.Kill()
	owner.says("disconnected from the NATS server")
	next.says("disconnected from the NATS server")
	w.server.Restart()
	next.says("reconnected to the NATS server")
	w.publish(500)
	w.reaches(w.published)
	if owner.ended() || strings.Contains(next.errs.String(), "took the flow over") {
		t.Error("the owner lost its flow")
	}
	next.stops(soon)
	owner.stops(soon)
	w.exactlyOnce()
	if got := claims(w.chain()); got != 1 {
		t.Errorf("found %d claims", got)
	}
}
