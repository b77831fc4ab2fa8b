package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors/nats/embedded"
)

func TestStoreHasOneProcess(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	flow, seed := seeded(t, seedLine(t, "orders.a", map[string]any{"id": 1}))
	first := start(t, "run", "--embedded="+store, "--seed", seed, flow)
	first.says("msg=admitted")
	second := start(t, "run", "--embedded="+store, "--seed", seed, flow)
	second.ends(statusSurrounding, soon)
	second.says("in use by another embedded server")
	first.signal(syscall.SIGINT)
	first.ends(statusDone, soon)
	if !strings.Contains(first.out.String(), "orders: stopped after ") {
		t.Errorf("expected a summary, found\n%s", first.out.String())
	}
}

// TestKilledStore kills a run with its server in the process, which takes the
// store down with it.
func TestKilledStore(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	const messages = 2_000
	var seed strings.Builder
	for i := range messages {
		seed.WriteString(seedLine(t, "orders.a", map[string]any{"id": i + 1}))
	}
	flow, lines := writeFile(t, "orders.flow", strings.Replace(terminalFlow, "1000/", "50/", 1)), writeFile(t, "seed.jsonl", seed.String())
	r := dice(t)
	for range drill(3, 20) {
		p := start(t, "run", "--embedded="+store, "--seed", lines, flow)
		p.moment(r, 300*time.Millisecond)
		p.kill()
	}
	last := start(t, "run", "--embedded="+store, "--seed", lines, "--until", "caught-up", flow)
	last.ends(statusDone, bound)
	server, err := embedded.Start(store)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	w := connect(t, server.URL())
	w.published = messages
	w.exactlyOnce()
	w.chain()
}
