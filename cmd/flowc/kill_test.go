package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// drill chooses between what every test run does and what `make drill` does,
// which sets FLOW_DRILL.
func drill[T any](short, long T) T {
	if os.Getenv("FLOW_DRILL") != "" {
		return long
	}
	return short
}

// dice are the random moments of a test. FLOW_DRILL_SEED throws them again.
func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("FLOW_DRILL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("FLOW_DRILL_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// moment lets a random time of at most d pass, unless the process ends first.
func (p *process) moment(r *rand.Rand, d time.Duration) {
	select {
	case <-time.After(time.Duration(r.Int64N(int64(d)))):
	case <-p.gone:
	}
}

func TestKilledFlow(t *testing.T) {
	kills, messages := drill(8, 60), drill(20_000, 300_000)
	w, r := newWorld(t), dice(t)
	w.publish(messages)
	// Each run cuts its epochs elsewhere, and the message ids stay the same.
	files := []string{w.flow("200/100ms"), w.flow("61/100ms"), w.flow("333/100ms")}
	for i := range kills {
		p := w.run(files[i%len(files)])
		w.reaches(w.stored("OUT") + 1)
		w.reaches(min((i+1)*messages/(kills+2), messages-1))
		p.moment(r, 60*time.Millisecond)
		if p.ended() {
			t.Fatal("flowc ended by itself")
		}
		p.kill()
		t.Logf("killed with %d in OUT", w.stored("OUT"))
	}
	w.run(files[0], "--until", "caught-up").ends(statusDone, bound)
	w.exactlyOnce()
	if got := claims(w.chain()); got != kills+1 {
		t.Errorf("expected %d claims, found %d", kills+1, got)
	}
	if c := w.consumer(); c.Name == "" || c.NumAckPending != 0 || c.NumPending != 0 {
		t.Errorf("the consumer %q has %d unacknowledged and %d unread", c.Name, c.NumAckPending, c.NumPending)
	}
}

// TestKilledAtTheStart kills before anything was written, where the streams, the
// consumer and the ledger are made.
func TestKilledAtTheStart(t *testing.T) {
	w, r := newWorld(t), dice(t)
	w.publish(500)
	file := w.flow("50/20ms")
	for range drill(6, 60) {
		p := w.run(file)
		p.moment(r, 120*time.Millisecond)
		p.kill()
	}
	w.run(file, "--until", "caught-up").ends(statusDone, bound)
	w.exactlyOnce()
	w.chain()
}

func TestKilledServer(t *testing.T) {
	kills, messages := drill(3, 25), drill(6_000, 100_000)
	w, r := newWorld(t), dice(t)
	w.publish(messages)
	p := w.run(w.flow("200/100ms"))
	for i := range kills {
		w.reaches((i + 1) * messages / (kills + 1))
		p.moment(r, 40*time.Millisecond)
		before := w.stored("OUT")
		w.server.Kill()
		w.server.Restart()
		w.publish(100)
		w.reaches(min(before+1, messages))
	}
	w.reaches(w.published)
	p.stops(bound)
	w.exactlyOnce()
	w.chain()
	// A server that is killed before the connection is back makes no further line.
	if got := strings.Count(p.errs.String(), "disconnected from the NATS server"); got < 1 || got > kills {
		t.Errorf("expected a line for each of %d disconnects, found %d", kills, got)
	}
}

func TestTwoProcesses(t *testing.T) {
	turns, messages := drill(4, 40), drill(8_000, 100_000)
	w, r := newWorld(t), dice(t)
	w.publish(messages)
	file := w.flow("100/50ms")
	owner, takeovers := w.run(file), 0
	for i := range turns {
		w.reaches((i + 1) * messages / (turns + 2))
		owner.moment(r, 30*time.Millisecond)
		loser, next := owner, w.run(file, "--replace")
		eventually(t, "one of the two gives way", func() bool { return owner.ended() || next.ended() })
		if next.ended() { // its claim lost against a certificate of the owner's
			loser = next
		} else {
			owner = next
			takeovers++
		}
		loser.ends(statusFailed, bound)
		loser.says("another owner has taken over")
	}
	w.reaches(messages)
	owner.stops(bound)
	w.exactlyOnce()
	if got := claims(w.chain()); got != takeovers+1 {
		t.Errorf("expected %d claims, found %d", takeovers+1, got)
	}
}

// TestLostServerIsNoEnd lets the link be lost between two epochs: its last error
// is io.EOF, which is not the end of a drained source.
func TestLostServerIsNoEnd(t *testing.T) {
	w := newWorld(t)
	p := w.owner(w.flow("50/100ms"), 50)
	w.server.Kill()
	p.says("disconnected from the NATS server")
	w.server.Restart()
	w.publish(50)
	eventually(t, "flowc goes on, or ends", func() bool { return p.ended() || w.stored("OUT") == 100 })
	if p.ended() {
		t.Fatalf("flowc ended with status %d", p.command.ProcessState.ExitCode())
	}
}
