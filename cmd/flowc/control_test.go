package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/monitor"
	"github.com/nats-io/nats.go/jetstream"
)

// listed are the runs that flowc runs shows.
func listed(t *testing.T, url string, more ...string) []monitor.Snapshot {
	t.Helper()
	r := flowc(t, "", append([]string{"runs", "--json", "--server", url}, more...)...)
	var answer struct{ Runs []monitor.Snapshot }
	if err := json.Unmarshal([]byte(r.out), &answer); err != nil || r.status != statusDone {
		t.Fatalf("status %d, %v\n%s%s", r.status, err, r.out, r.errs)
	}
	return answer.Runs
}

// visible waits until one run is listed, and returns it.
func (w *world) visible() monitor.Snapshot {
	w.t.Helper()
	var runs []monitor.Snapshot
	eventually(w.t, "the run is listed", func() bool {
		runs = listed(w.t, w.server.URL())
		return len(runs) == 1
	})
	return runs[0]
}

func TestARunIsPausedResumedAndStopped(t *testing.T) {
	w := newWorld(t)
	if r := flowc(t, "", "runs", "--server", w.server.URL()); r.status != statusDone || !strings.HasPrefix(r.out, "nothing runs on nats://127.0.0.1:") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	p := w.run(w.flow("1000/200ms"), "--allow-control")
	w.publish(20)
	w.reaches(20)
	run := w.visible()
	if run.Run.Flow != "orders" || run.Run.Namespace != "default" || run.Run.PID != p.command.Process.Pid || !run.Run.Control || run.Run.Data || run.State != monitor.Running {
		t.Errorf("found %+v", run)
	}
	tell := func(command, state string) {
		t.Helper()
		r := flowc(t, "", command, "orders", "--server", w.server.URL())
		if want := fmt.Sprintf("orders: run %s is %s\n", run.Run.ID, state); r.status != statusDone || r.out != want {
			t.Errorf("status %d, %s%s", r.status, r.out, r.errs)
		}
	}
	tell("pause", "paused")
	w.publish(20)
	if now := w.visible(); now.State != monitor.Paused || now.Totals.In != 20 {
		t.Errorf("found %+v", now)
	}
	if n := w.stored("OUT"); n != 20 {
		t.Errorf("OUT has %d messages", n)
	}
	tell("resume", "running")
	w.reaches(40)
	table := flowc(t, "", "runs", "--server", w.server.URL())
	for _, text := range []string{"FLOW", "default/orders", "running", "at least once", run.Run.ID, fmt.Sprintf("process %d", run.Run.PID)} {
		if !strings.Contains(table.out, text) {
			t.Errorf("the table lacks %q\n%s", text, table.out)
		}
	}
	tell("stop", "ended")
	p.ends(statusDone, bound)
	if !strings.Contains(p.out.String(), "orders: stopped after") {
		t.Errorf("found\n%s", p.out.String())
	}
	w.exactlyOnce()
	w.chain()
}

func TestARunObeysOnlyIfItWasStartedSo(t *testing.T) {
	w := newWorld(t)
	w.run(w.flow("1000/200ms"))
	w.visible()
	for _, command := range []string{"pause", "resume", "stop"} {
		r := flowc(t, "", command, "orders", "--server", w.server.URL())
		if r.status != statusFailed || !strings.Contains(r.errs, "start it with flowc run --allow-control") {
			t.Errorf("%s: status %d, %s%s", command, r.status, r.out, r.errs)
		}
	}
	r := flowc(t, "", "pause", "order", "--server", w.server.URL())
	if r.status != statusFailed || !strings.Contains(r.errs, "no run of flow default/order answers") || !strings.Contains(r.errs, "did you mean orders?") {
		t.Errorf("status %d, %s", r.status, r.errs)
	}
	if r := flowc(t, "", "pause", "orders.flow"); r.status != statusUsage {
		t.Errorf("status %d, %s", r.status, r.errs)
	}
}

func TestSeveralRunsOfOneName(t *testing.T) {
	runs := []foundRun{
		{monitor.Listed{ID: "abc1", Namespace: "default", Flow: "orders", Host: "h1", PID: 1}, monitor.Running},
		{monitor.Listed{ID: "abc2", Namespace: "default", Flow: "orders", Host: "h2", PID: 2}, monitor.Standby},
		{monitor.Listed{ID: "zzz", Namespace: "other", Flow: "orders", Host: "h3", PID: 3}, silent},
	}
	orders := connectors.Identity{Namespace: "default", Flow: "orders"}
	for id, want := range map[string]string{
		"":     "say which with --run ID: abc1 (running, process 1 on h1, since 0001-01-01T00:00:00Z); abc2 (standby, process 2 on h2",
		"abc":  "say which with --run ID: abc1",
		"z":    `has no run "z": abc1`,
		"abc2": "",
	} {
		run, err := choose(runs, orders, id, "there")
		if want == "" {
			if err != nil || run.ID != "abc2" {
				t.Errorf("%q: found %v, %v", id, run, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: found %v, %v", id, run, err)
		}
	}
}

// TestARunThatMayNotBeSeenRuns gives a user the rights of a flow, without and with
// those of being seen.
func TestARunThatMayNotBeSeenRuns(t *testing.T) {
	block := flowc(t, needyFlow, "check", "--permissions", "-").out
	for name, seen := range map[string]bool{"unseen": false, "seen": true} {
		t.Run(name, func(t *testing.T) {
			rights := block
			if seen {
				rights = ""
				for line := range strings.Lines(block) {
					if strings.Contains(line, "flowc runs and flowtui") {
						line = strings.Replace(line, "# ", "", 1)
					}
					rights += line
				}
			}
			url := guardedBy(t, rights)
			w := asAdmin(t, url)
			stream(t, w.js, jetstream.StreamConfig{Name: "A", Subjects: []string{"orders.>"}})
			p := start(t, "run", "--server", url, "--user", "flow", "--password", "p", writeFile(t, "needy.flow", needyFlow))
			p.says("admitted")
			if seen {
				eventually(t, "the run is listed", func() bool { return len(listed(t, url, "--user", "admin", "--password", "p")) == 1 })
				return
			}
			p.says("cannot see this run")
			publish(t, w.js, "orders.a", `{"id":1}`)
			eventually(t, "the flow writes", func() bool { return w.stored("OUT") == 1 })
			if n := strings.Count(p.errs.String(), "level=WARN"); n != 1 {
				t.Errorf("expected one warning, found %d", n)
			}
			r := flowc(t, "", "runs", "--server", url, "--user", "flow", "--password", "p")
			if r.status != statusSurrounding || !strings.Contains(r.errs, "not permitted") {
				t.Errorf("whoever may not ask is told: status %d\n%s%s", r.status, r.out, r.errs)
			}
		})
	}
}

func TestRunsWithoutAServer(t *testing.T) {
	began := time.Now()
	r := flowc(t, "", "runs", "--server", "nats://127.0.0.1:1")
	if r.status != statusSurrounding || !strings.Contains(r.errs, "connecting to the NATS server nats://127.0.0.1:1") {
		t.Errorf("status %d, %s", r.status, r.errs)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestAPausedRunKeepsItsFlow lets a standby wait for a run that is paused.
func TestAPausedRunKeepsItsFlow(t *testing.T) {
	w := newWorld(t)
	file := w.flow("100/50ms")
	owner := w.owner(file, 10, "--allow-control")
	next := w.standby(owner, file)
	var runs []monitor.Snapshot
	eventually(t, "both are listed", func() bool {
		runs = listed(t, w.server.URL())
		return len(runs) == 2
	})
	states := map[monitor.State]string{}
	for _, r := range runs {
		states[r.State] = r.Run.ID
	}
	r := flowc(t, "", "pause", "orders", "--server", w.server.URL())
	if r.status != statusUsage || !strings.Contains(r.errs, "flow default/orders has 2 runs, so say which with --run ID") || !strings.Contains(r.errs, states[monitor.Standby]) {
		t.Errorf("status %d, %s", r.status, r.errs)
	}
	tell := func(command string) {
		t.Helper()
		if r := flowc(t, "", command, "orders", "--run", states[monitor.Running], "--server", w.server.URL()); r.status != statusDone {
			t.Fatalf("%s: status %d, %s", command, r.status, r.errs)
		}
	}
	tell("pause")
	w.publish(10)
	paused := func() float64 {
		for _, s := range listed(t, w.server.URL()) {
			for _, c := range s.Causes {
				if c.Name == monitor.CausePause && s.State == monitor.Paused {
					return c.Seconds
				}
			}
		}
		return 0
	}
	eventually(t, "it is paused for longer than a takeover takes", func() bool { return paused() > 1.5*handover.Seconds() })
	if n := w.stored("OUT"); n != 10 {
		t.Errorf("OUT has %d messages", n)
	}
	tell("stop")
	owner.ends(statusDone, bound)
	next.says("took the flow over from process")
	w.reaches(20)
	w.exactlyOnce()
	w.chain()
}

func TestARunIsStoppedThatBringsItsServer(t *testing.T) {
	p := start(t, "run", "--embedded", "--seed", writeFile(t, "seed.jsonl", seedLine(t, "orders.a", map[string]any{"n": 1})), "--allow-control", writeFile(t, "orders.flow", "flow orders "+terminalFlow))
	p.says("msg=reading")
	url := regexp.MustCompile(`nats://[0-9.:]+`).FindString(p.errs.String())
	eventually(t, "the run is listed", func() bool { return len(listed(t, url)) == 1 })
	if r := flowc(t, "", "stop", "orders", "--server", url); r.status != statusDone || !strings.HasSuffix(r.out, " is ended\n") {
		t.Errorf("status %d, %s%s", r.status, r.out, r.errs)
	}
	p.ends(statusDone, bound)
}
