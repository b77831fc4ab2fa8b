package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestDead looks at dead letters by the flow's name and by its file, replays what a
// mended flow can process, and purges the rest.
func TestDead(t *testing.T) {
	w := newWorld(t)
	w.publish(3)
	for _, body := range []string{`{"id":4,"note":"a","more":1}`, hostile, `{"id":6,"note":"a","more":1}`} {
		if _, err := w.js.Publish(t.Context(), "orders.a", []byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	text := `from nats "orders.>" schema { id: int, note: string%s } epoch 10/1s to nats stream "OUT" subject "out.v1" on error dead letter to nats subject "dead.x"`
	file := writeFile(t, "orders.flow", fmt.Sprintf(text, ""))
	if r := w.flowc("dead", "ls", "orders"); r.status == statusDone || !strings.Contains(r.errs, "no flow has run there") {
		t.Errorf("before a run: status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := w.flowc("run", "--until", "caught-up", file); r.status != statusDone {
		t.Fatal(r.errs)
	}

	for _, flow := range []string{"orders", file} {
		r := w.flowc("dead", "ls", flow)
		if lines := strings.Split(r.out, "\n"); r.status != statusDone || len(lines) != 5 || !strings.HasPrefix(lines[1], "FLOW_DEAD/1 ") || !strings.Contains(lines[1], "F5003") {
			t.Errorf("%s: status %d\n%s%s", flow, r.status, r.out, r.errs)
		}
		r.inert(t, "FLOW_DEAD/2")
	}
	r := w.flowc("dead", "ls", "orders", "--json")
	if lines := strings.Split(strings.TrimSpace(r.out), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[0], `{"letter":"FLOW_DEAD/1",`) {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	r = w.flowc("dead", "show", "orders", "2")
	r.inert(t, `\x1b[2J`)
	if r.status != statusDone || !strings.Contains(r.out, "sequence 5 of stream ORDERS") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	for args, says := range map[string]string{
		"show orders 9":            "no dead letter 9; it has 3 letters",
		"show orders":              "needs a flow and a letter",
		"ls":                       "needs one flow",
		"purge":                    "needs a flow",
		"purge orders":             "add --yes",
		"purge orders FLOW_DEAD/9": "this flow has no dead letter FLOW_DEAD/9",
		"replay orders":            "needs the flow's file",
		"ls " + w.flow("10/1s"):    "keeps no dead letters",
	} {
		if r := w.flowc(append([]string{"dead"}, strings.Fields(args)...)...); r.status == statusDone || !strings.Contains(r.errs, says) {
			t.Errorf("%s: status %d\n%s%s", args, r.status, r.out, r.errs)
		}
	}

	mended := writeFile(t, "orders.flow", fmt.Sprintf(text, ", ..."))
	r = w.flowc("dead", "replay", mended, "FLOW_DEAD/3")
	if r.status != statusDone || r.out != "1 of 1 dead letter replayed, 1 row written\n" || w.stored("OUT") != 4 || w.stored("FLOW_DEAD") != 2 {
		t.Errorf("status %d, %d rows, %d letters\n%s%s", r.status, w.stored("OUT"), w.stored("FLOW_DEAD"), r.out, r.errs)
	}
	r = w.flowc("dead", "replay", mended)
	r.inert(t, "FLOW_DEAD/2 stays: F5003: ")
	if r.status != statusFailed || !strings.HasSuffix(r.out, "1 of 2 dead letters replayed, 1 row written\n") || w.stored("OUT") != 5 || w.stored("FLOW_DEAD") != 1 {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := w.flowc("dead", "purge", "orders", "--yes"); r.status != statusDone || r.out != "removed 1 dead letter of flow default/orders\n" || w.stored("FLOW_DEAD") != 0 {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := w.flowc("verify", mended); r.status != statusDone {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
}
