package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/monitor"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be flowtui too, as a process on a terminal.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"flowtui": main})
}

// ran is what a run of flowtui in this process gave.
type ran struct {
	status    int
	out, errs string
}

func flowtui(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	r := ran{status: Main(args, strings.NewReader(""), &out, &errs)}
	r.out, r.errs = out.String(), errs.String()
	return r
}

func TestWithoutATerminal(t *testing.T) {
	null, err := os.Open(os.DevNull) // a device, and no terminal
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	var errs bytes.Buffer
	status := Main(nil, null, null, &errs)
	if status != statusUsage || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "needs a terminal") || strings.Contains(errs.String(), "\x1b") {
		t.Errorf("status %d\n%q", status, errs.String())
	}
}

func TestBadUsage(t *testing.T) {
	for arg, says := range map[string]string{
		"--onec": "did you mean --once?", "--color=red": "auto, always or never", "a b": "one flow", "--\x1b[2J": `\x1b[2J`,
		"--server=http://x": "nats://",
	} {
		args := append(strings.Fields(arg), "--once")
		if arg == "a b" {
			args = []string{"a", "b"}
		}
		r := flowtui(t, args...)
		if r.status != statusUsage || !strings.Contains(r.errs, says) || strings.ContainsRune(r.errs, '\x1b') {
			t.Errorf("%q: status %d\n%q", arg, r.status, r.errs)
		}
	}
}

func TestNoServer(t *testing.T) {
	r := flowtui(t, "--once", "--server", "nats://127.0.0.1:1")
	if r.status != statusSurrounding || !strings.Contains(r.errs, "nats://127.0.0.1:1") || !strings.Contains(r.errs, "--server") {
		t.Errorf("status %d\n%s", r.status, r.errs)
	}
}

func TestOnceAndJSON(t *testing.T) {
	w := newWorld(t)
	if r := flowtui(t, "--once", "--server", w.url); r.status != statusDone || !strings.Contains(r.out, "no run answers here") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	w.serve(recorded("orders", 1), recorded("orders", 2), recorded("payments", 3))
	r := flowtui(t, "--once", "--server", w.url)
	if r.status != statusDone || !strings.Contains(r.out, "orders @mill:1") || !strings.Contains(r.out, "orders @mill:2") || !strings.Contains(r.out, "payments") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := flowtui(t, "--once", "--server", w.url, "payments"); !strings.Contains(r.out, "flow payments") || !strings.Contains(r.out, "RESOURCE") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := flowtui(t, "--once", "--server", w.url, "nosuch"); r.status != statusFailed || !strings.Contains(r.errs, `no run of a flow "nosuch"`) {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	r = flowtui(t, "--once", "--json", "--server", w.url, "orders")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.status != statusDone || len(lines) != 2 {
		t.Fatalf("status %d, %d lines\n%s%s", r.status, len(lines), r.out, r.errs)
	}
	for i, l := range lines {
		var s monitor.Snapshot
		if err := json.Unmarshal([]byte(l), &s); err != nil || s.Run.Flow != "orders" || s.Run.PID != i+1 || len(s.Resources) == 0 {
			t.Errorf("%v\n%s", err, l)
		}
	}
}

func TestOutputIsInert(t *testing.T) {
	w := newWorld(t)
	w.serve(recorded(hostile, 1))
	for _, args := range [][]string{{"--once"}, {"--once", hostile}, {"--once", "--json"}, {"--once", "nosuch" + hostile}} {
		r := flowtui(t, append(args, "--server", w.url)...)
		if strings.ContainsAny(r.out+r.errs, "\x1b\x07\x7f\u009b\u202e") || !strings.Contains(r.out+r.errs, "1b[2J") {
			t.Errorf("%q: status %d\n%q\n%q", args, r.status, r.out, r.errs)
		}
	}
}

// TestStream reads two snapshots of a run, a second apart, and ends the stream.
func TestStream(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	w.serve(recorded("orders", 1))
	cmd := exec.Command("flowtui", "--json", "--server", w.url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, unless the test failed
	lines := bufio.NewScanner(out)
	var taken []time.Time
	for len(taken) < 2 && lines.Scan() {
		var s monitor.Snapshot
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%v\n%s", err, lines.Bytes())
		}
		taken = append(taken, s.Taken)
	}
	if len(taken) != 2 || !taken[1].After(taken[0]) {
		t.Errorf("expected two snapshots one after the other, found %v", taken)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // what was on its way
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("interrupted: %v", err)
	}
}
