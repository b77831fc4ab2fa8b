package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// noticed is how long anything may take to be noticed.
const noticed = 10 * time.Second

// clusterEvent happens to a cluster below a running flow.
type clusterEvent struct {
	name  string
	do    func(*arena, *process)
	lost  bool // whether it costs the flow's link, which is back at once
	lines int  // that the flow says at most besides
}

var quickEvents = []clusterEvent{
	{"the meta leader moved", func(a *arena, _ *process) { a.cluster.MoveMetaLeader() }, false, 2},
	{"the consumer's leader moved", func(a *arena, _ *process) { a.stepDown("CONSUMER.LEADER.STEPDOWN.ORDERS.flow-default-orders") }, false, 4},
	{"the source's leader moved", func(a *arena, _ *process) { a.stepDown("STREAM.LEADER.STEPDOWN.ORDERS") }, false, 4},
	{"the destination's leader moved", func(a *arena, _ *process) { a.stepDown("STREAM.LEADER.STEPDOWN.OUT") }, false, 4},
	{"the ledger's leader moved", func(a *arena, _ *process) { a.stepDown("STREAM.LEADER.STEPDOWN.FLOW_LEDGER") }, false, 4},
	{"the server is a lame duck", (*arena).sendAway, true, 8},
	{"the link froze", (*arena).freezeOneLink, true, 8},
}

var slowEvents = []clusterEvent{
	{"the source stream moved", (*arena).moveStream, false, 12},
	{"the server froze", (*arena).freezeServer, true, 10},
	{"the server was killed", (*arena).killServer, true, 20},
}

// TestClusterEvents lets one process live through what happens to a cluster. Each
// event is noticed in time, told in few lines, and over.
func TestClusterEvents(t *testing.T) {
	t.Parallel()
	a := atLeastOnce().begin(t, 1)
	a.goesOn(time.Now())
	p := a.crew.members[0]
	for _, e := range drill(quickEvents, append(slices.Clone(quickEvents), slowEvents...)) {
		a.happens(p, e)
	}
	a.published = a.feed.end()
	a.reaches(a.published)
	a.crew.stop()
	a.exactlyOnce()
	a.chain()
}

func (a *arena) happens(p *process, e clusterEvent) {
	a.t.Helper()
	before, begun, used := len(p.errs.String()), time.Now(), p.used()
	e.do(a, p)
	a.goesOn(time.Now())
	took := time.Since(begun)
	said := p.errs.String()[before:]
	wait := event{from: begun, to: time.Now()}.wait(a.records())
	a.t.Logf("%s: over after %s, no certificate for %s, %s of the processor\n%s", e.name, short(took), short(wait), short(p.used()-used), said)
	if said := sayingAfter(said, begun); wait > noticed && said > noticed {
		a.t.Errorf("%s: nothing was certified for %s, and nothing said for %s", e.name, wait, said)
	}
	if p.used()-used > took/2+time.Second {
		a.t.Errorf("%s: %s of the processor in %s", e.name, p.used()-used, took)
	}
	down, up := strings.Count(said, "disconnected from the NATS server"), strings.Count(said, "reconnected to the NATS server")
	if down != up || down > 0 != e.lost || down > 1 {
		a.t.Errorf("%s: %d lines of a lost link, %d of one that is back\n%s", e.name, down, up, said)
	}
	if lines := strings.Count(said, "\n") - strings.Count(said, "msg=certified ") - down - up; lines > e.lines {
		a.t.Errorf("%s: expected at most %d lines, found %d\n%s", e.name, e.lines, lines, said)
	}
}

// sayingAfter is how long after a time the first line of a log was written, beside
// those that tell how far a run is.
func sayingAfter(log string, begun time.Time) time.Duration {
	for line := range strings.Lines(log) {
		text, _, _ := strings.Cut(strings.TrimPrefix(line, "time="), " ")
		if at, err := time.Parse(time.RFC3339, text); err == nil && !strings.Contains(line, "msg=certified ") {
			return at.Sub(begun)
		}
	}
	return time.Since(begun)
}

// used is the processor time of a process that runs, in steps of 10 ms.
func (p *process) used() time.Duration {
	p.t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.command.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		if err != nil {
			p.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / 100
}

func (a *arena) sendAway(p *process) {
	a.sendNodeAway(a.cluster.Nodes[a.connected(p)])
}

func (a *arena) freezeServer(p *process) {
	a.freeze(a.cluster.Nodes[a.connected(p)], noticed)
}

// freezeOneLink leaves the worker's link to the other nodes, of which it takes one.
func (a *arena) freezeOneLink(p *process) {
	link := a.crew.links[0][a.connected(p)]
	link.freeze()
	a.goesOn(time.Now().Add(noticed - time.Second))
	link.thaw()
}

func (a *arena) killServer(p *process) {
	a.kill(a.cluster.Nodes[a.connected(p)])
}

var serverURL = regexp.MustCompile(`nats://127\.0\.0\.1:\d+`)

// connected is the node to which a worker's link goes, by the last of its lines
// that name one.
func (a *arena) connected(p *process) int {
	a.t.Helper()
	lines := strings.Split(p.errs.String(), "\n")
	slices.Reverse(lines)
	for _, line := range lines {
		if !strings.Contains(line, "msg=admitted") && !strings.Contains(line, `msg="reconnected`) {
			continue
		}
		for i, link := range a.crew.links[0] {
			if link.url() == serverURL.FindString(line) {
				return i
			}
		}
	}
	a.t.Fatal("the worker does not say where it is connected")
	return 0
}

// moveStream takes the replicas of ORDERS away, moves it to another node and
// gives it replicas again.
func (a *arena) moveStream(*process) {
	a.t.Helper()
	a.updateOrders(jetstream.StreamConfig{Replicas: 1})
	from := a.leader("ORDERS")
	to := map[string]string{"n1": "n2", "n2": "n3", "n3": "n1"}[from]
	a.updateOrders(jetstream.StreamConfig{Replicas: 1, Placement: &jetstream.Placement{Tags: []string{to}}})
	if now := a.leader("ORDERS"); now != to {
		a.t.Errorf("expected ORDERS at %s, found it at %s", to, now)
	}
	a.goesOn(time.Now())
	a.updateOrders(jetstream.StreamConfig{Replicas: 3})
}

// updateOrders changes ORDERS and waits until its replicas are as they should be.
func (a *arena) updateOrders(config jetstream.StreamConfig) {
	a.t.Helper()
	config.Name, config.Subjects = "ORDERS", []string{"orders.>"}
	a.crew.until("ORDERS can be changed", func() bool {
		_, err := a.js.UpdateStream(a.t.Context(), config)
		return err == nil
	})
	a.crew.until("ORDERS is changed", func() bool {
		s, err := a.js.Stream(a.t.Context(), "ORDERS")
		if err != nil {
			return false
		}
		c := s.CachedInfo().Cluster
		at := config.Placement == nil || c.Leader == config.Placement.Tags[0]
		return at && len(c.Replicas) == config.Replicas-1 && !slices.ContainsFunc(c.Replicas, func(r *jetstream.PeerInfo) bool { return !r.Current })
	})
}
