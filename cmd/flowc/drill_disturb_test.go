package main

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/flowlang/flow/internal/natsprocess"
)

// disturbance is a fault that is over when do returns, which tells the process that
// it killed, or 0.
type disturbance struct {
	name string
	do   func(*arena, *rand.Rand) int
}

var (
	killWorker   = disturbance{"worker killed", (*arena).killWorker}
	freezeWorker = disturbance{"worker frozen", (*arena).freezeWorker}
	freezeLink   = disturbance{"link frozen", (*arena).freezeLink}
	killNode     = disturbance{"node killed", (*arena).killNode}
	freezeNode   = disturbance{"node frozen", (*arena).freezeNode}
	lameDuck     = disturbance{"lame duck", (*arena).lameDuck}
	moveLeader   = disturbance{"leader moved", (*arena).moveLeader}

	everyDisturbance = []disturbance{killWorker, freezeWorker, freezeLink, killNode, freezeNode, lameDuck, moveLeader}
)

func (a *arena) killWorker(*rand.Rand) int {
	p := a.crew.members[a.crew.owner()]
	p.kill()
	a.crew.tend()
	return p.command.Process.Pid
}

// freezeWorker freezes the owner, mostly for longer than the other one waits. When it
// thaws it has to notice, and must not have written anything more.
func (a *arena) freezeWorker(r *rand.Rand) int {
	p := a.crew.members[a.crew.owner()]
	p.signal(syscall.SIGSTOP)
	defer p.signal(syscall.SIGCONT)
	a.crew.pause(a.moment(r))
	return 0
}

// freezeLink lets nothing pass between the owner and any node.
func (a *arena) freezeLink(r *rand.Rand) int {
	links := a.crew.links[a.crew.owner()]
	for _, link := range links {
		link.freeze()
	}
	a.crew.pause(a.moment(r))
	for _, link := range links {
		link.thaw()
	}
	return 0
}

func (a *arena) killNode(r *rand.Rand) int {
	a.kill(a.node(r))
	return 0
}

func (a *arena) freezeNode(r *rand.Rand) int {
	a.freeze(a.node(r), a.moment(r))
	return 0
}

func (a *arena) lameDuck(r *rand.Rand) int {
	a.sendNodeAway(a.node(r))
	return 0
}

// kill takes a node away until the flow goes on without it.
func (a *arena) kill(node *natsprocess.Server) {
	node.Kill()
	a.goesOn(time.Now())
	node.Restart()
	a.wholeAgain()
}

func (a *arena) freeze(node *natsprocess.Server, d time.Duration) {
	node.Freeze()
	a.crew.pause(d)
	node.Thaw()
	a.wholeAgain()
}

// sendNodeAway lets a node end in order, which moves its clients first.
func (a *arena) sendNodeAway(node *natsprocess.Server) {
	node.LameDuck()
	node.AwaitEnd()
	node.Restart()
	a.wholeAgain()
}

// moveLeader lets whoever leads a stream, the flow's consumer or the cluster step down.
func (a *arena) moveLeader(r *rand.Rand) int {
	subjects := []string{"STREAM.LEADER.STEPDOWN.ORDERS", "STREAM.LEADER.STEPDOWN.OUT", "STREAM.LEADER.STEPDOWN.FLOW_LEDGER",
		"CONSUMER.LEADER.STEPDOWN.ORDERS.flow-default-orders"}
	if at := r.IntN(len(subjects) + 1); at < len(subjects) {
		a.stepDown(subjects[at])
	} else {
		a.cluster.MoveMetaLeader()
	}
	return 0
}

// node is any of them, or mostly one that leads what the flow depends on.
func (a *arena) node(r *rand.Rand) *natsprocess.Server {
	names := []string{"", "ORDERS", "OUT", "FLOW_LEDGER"}
	name := names[r.IntN(len(names))]
	if name == "" {
		return a.cluster.Nodes[r.IntN(len(a.cluster.Nodes))]
	}
	return a.cluster.Node(a.leader(name))
}

// moment is a random time, of which anything is frozen.
func (a *arena) moment(r *rand.Rand) time.Duration {
	return a.scenario.freeze/4 + time.Duration(r.Int64N(int64(a.scenario.freeze*3/4)))
}
