package main

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// soon is how long an end may take that waits for nothing.
const soon = 5 * time.Second

// holding runs a flow whose open epoch has n messages and 10 minutes to go.
func (w *world) holding(n int, more ...string) *process {
	w.t.Helper()
	p := w.run(writeFile(w.t, "orders.flow", `from nats "orders.>" ack_wait 1s epoch 100000/10m to nats stream "OUT" subject "out.v1"`), more...)
	w.heartbeats(n)
	return p
}

func TestSignalInAnOpenEpoch(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			w := newWorld(t)
			w.publish(50)
			p := w.holding(50)
			p.signal(s)
			p.ends(statusDone, soon)
			w.exactlyOnce()
			if records := w.chain(); len(records) != 2 {
				t.Errorf("expected a claim and a certificate, found %d records", len(records))
			}
			if c := w.consumer(); c.NumAckPending != 0 || c.AckFloor.Stream != 50 {
				t.Errorf("expected 50 acknowledged, found %d unacknowledged and a floor of %d", c.NumAckPending, c.AckFloor.Stream)
			}
			if !strings.Contains(p.out.String(), "orders: stopped after 1 certified epoch ") {
				t.Errorf("expected a summary of one epoch, found\n%s", p.out.String())
			}
		})
	}
}

func TestSignalWithoutMessages(t *testing.T) {
	w := newWorld(t)
	p := w.run(w.flow("100000/10m"))
	p.says("msg=admitted")
	p.stops(soon)
}

// behindIce writes a flow file whose destination is behind a proxy that can freeze.
func (w *world) behindIce() (ice *proxy, file string) {
	w.t.Helper()
	ice = newProxy(w.t, w.server.URL())
	return ice, writeFile(w.t, "orders.flow", fmt.Sprintf(`connection out nats url %q
from nats "orders.>" epoch 50/10m to out stream "OUT" subject "out.v1" publish_timeout 10m`, ice.url()))
}

// frozen runs a flow whose destination froze with an epoch on its way there.
func (w *world) frozen(more ...string) *process {
	w.t.Helper()
	ice, file := w.behindIce()
	p := w.run(file, more...)
	p.says("msg=admitted")
	ice.freeze()
	w.publish(50)
	ice.holds(w.t)
	return p
}

// uncertified checks that an epoch that was cut left nothing behind but its
// claim, and that the next run brings it to its end.
func (w *world) uncertified() {
	w.t.Helper()
	var c *jetstream.ConsumerInfo
	eventually(w.t, "the consumer is there", func() bool { c = w.consumer(); return c.Name != "" })
	if c.AckFloor.Stream != 0 {
		w.t.Errorf("a cut epoch was acknowledged up to %d", c.AckFloor.Stream)
	}
	w.run(w.flow("50/100ms"), "--until", "caught-up").ends(statusDone, bound)
	w.chain()
}

func TestSecondSignal(t *testing.T) {
	w := newWorld(t)
	p := w.frozen()
	p.signal(syscall.SIGINT)
	p.says("closing the open epoch; a second signal aborts it")
	// What comes at once is the echo of the first signal, as timeout(1) makes it.
	eventually(t, "a second signal ends it", func() bool { p.signal(syscall.SIGINT); return p.ended() })
	p.ends(statusSignal+int(syscall.SIGINT), 2*time.Second)
	p.says("a second signal: the open epoch was dropped, not certified and not acknowledged")
	w.uncertified()
	w.exactlyOnce()
}

func TestGrace(t *testing.T) {
	w := newWorld(t)
	p := w.frozen("--grace", "300ms")
	p.signal(syscall.SIGTERM)
	p.ends(statusSignal+int(syscall.SIGTERM), soon)
	p.says("the grace time of 300ms is over: the open epoch was dropped, not certified and not acknowledged")
	w.uncertified()
	w.exactlyOnce()
}

func TestSignalWhileTheServerIsAway(t *testing.T) {
	w := newWorld(t)
	w.publish(50)
	p := w.holding(50, "--grace", "1s")
	w.server.Kill()
	p.says("disconnected from the NATS server")
	p.signal(syscall.SIGTERM)
	p.ends(statusSignal+int(syscall.SIGTERM), soon)
	p.says("stopped before the open epoch was certified; it is read again at the next start")
	w.server.Restart()
	w.uncertified()
	w.exactlyOnce()
}

func TestSignalBeforeTheServerAnswers(t *testing.T) {
	w := newWorld(t)
	ice := newProxy(t, w.server.URL())
	ice.freeze()
	p := start(t, "run", "--server", ice.url(), w.flow("1000/1s"))
	p.says("msg=connecting")
	p.signal(syscall.SIGTERM)
	p.awaitEnd(2 * time.Second) // nothing is open yet
}
