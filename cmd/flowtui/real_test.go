package main

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// flowc is the path of the real one. It is kept in the user's cache, one a working copy.
var flowc = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	path := filepath.Join(cache, "flow-test", fmt.Sprintf("flowc-%08x", crc32.ChecksumIEEE([]byte(here))), "flowc")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/flowlang/flow/cmd/flowc").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building flowc: %w\n%s", err, out)
	}
	return path, nil
})

// real is a server with a stream that is written to, and flows that read it.
type real struct {
	t    *testing.T
	url  string
	js   jetstream.JetStream
	file string
}

const realFlow = `from nats "orders.>"
schema { id: int, n: int } epoch 100/200ms
select { id, part: 100 / n }
to nats stream "OUT" subject "out.v1"
on error dead letter to nats subject "dead.orders"`

func newReal(t *testing.T) *real {
	t.Helper()
	w := newWorld(t)
	nc, err := nats.Connect(w.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}}); err != nil {
		t.Fatal(err)
	}
	r := &real{t: t, url: w.url, js: js, file: filepath.Join(t.TempDir(), "orders.flow")}
	if err := os.WriteFile(r.file, []byte(realFlow), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *real) publish(subject, body string) {
	r.t.Helper()
	if _, err := r.js.Publish(r.t.Context(), subject, []byte(body)); err != nil {
		r.t.Fatal(err)
	}
}

// run starts flowc run, which is killed when the test ends.
func (r *real) run(more ...string) *exec.Cmd {
	r.t.Helper()
	path, err := flowc()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"run", "--server", r.url, "--allow-control", "--expose-data"}, append(more, r.file)...)...)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+r.t.TempDir())
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = cmd.Process.Kill() // unless the test did
		_ = cmd.Wait()
		if r.t.Failed() {
			r.t.Logf("flowc run:\n%s", errs.String())
		}
	})
	return cmd
}

// steadily writes a message every few milliseconds until the test ends.
func (r *real) steadily() {
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				_, _ = r.js.PublishAsync("orders.a", fmt.Appendf(nil, `{"id": %d, "n": 5}`, n)) // the server may be gone
			}
		}
	})
	r.t.Cleanup(func() { close(stop); writer.Wait() })
}

// TestRealRun watches a flow that runs in another process: its counts, epochs and dead
// letters, pauses it, replays an epoch, and sees it die.
func TestRealRun(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	r.publish("orders.a", `{"id": 1, "n": 5}`)
	r.publish("orders.b", `{"id": 2, "n": 0}`)
	r.publish("orders.\x1b[2J", `{"id": 3, "n": 0, "evil": "\u001b[2J"}`)
	run := r.run()
	x := on(t, 80, 24, "--server", r.url)
	x.Shows("1 run", ">▸ RUNNING  orders")
	x.Keys("Enter")
	x.Shows("flow orders  ▸ RUNNING", "OUT at least once", "dead 2", "orders                       3          1       2")
	x.Keys("d")
	x.Shows("F5002", `orders.\x1b[2J`, "F5003")
	x.Keys("j", "Enter")
	x.Shows("subject   orders.b", "orders.flow:3:", "^^^^^^^", `{"id": 2, "n": 0}`)
	x.Keys("3")
	x.Shows("1 . ok", "stream ORDERS  sequences 1 to 3", "stream OUT  sequences 1 to 1")
	x.Keys("R")
	x.Shows("print here what orders made of epoch 1? [y/N]")
	x.Keys("y")
	x.Shows(`"data":{"id":1,"part":20}`, "Enter goes back to the viewer")
	x.Keys("Enter")
	x.Shows("nothing was written")
	r.steadily()
	x.Keys("2")
	x.Lacks("in 0/s")
	x.Keys("p", "y")
	x.Shows("▪ PAUSED")
	x.Keys("p", "y")
	x.Shows("▸ RUNNING")
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	x.Shows("? STALE", "was RUNNING")
	x.Keys("q")
	x.Ends(statusDone)
}

// TestRealRunDrains ends a run from the viewer.
func TestRealRunDrains(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	r.publish("orders.a", `{"id": 1, "n": 5}`)
	run := r.run()
	x := on(t, 80, 24, "--server", r.url, "orders")
	x.Shows("flow orders  ▸ RUNNING")
	x.Type(":drain")
	x.Keys("Enter")
	x.Shows("drain and end orders on")
	x.Keys("y")
	if err := run.Wait(); err != nil {
		t.Errorf("the run ended with %v", err)
	}
	x.Keys("q")
	x.Ends(statusDone)
}

// TestRealRunAsJSON reads what a program would.
func TestRealRunAsJSON(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	r.publish("orders.a", `{"id": 1, "n": 5}`)
	r.run()
	deadline := time.After(30 * time.Second)
	for {
		out := flowtui(t, "--once", "--json", "--server", r.url)
		var s struct {
			Totals struct{ Out int }
		}
		if line, _, _ := strings.Cut(out.out, "\n"); json.Unmarshal([]byte(line), &s) == nil && s.Totals.Out == 1 {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("no snapshot with a row\n%s%s", out.out, out.errs)
		default:
		}
	}
}
