package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// TestVerify looks at a flow by its name and by its file, finds what is removed, and
// repairs it.
func TestVerify(t *testing.T) {
	w := newWorld(t)
	w.publish(20)
	file := w.flow("10/1s")
	if r := w.flowc("run", "--until", "caught-up", file); r.status != statusDone {
		t.Fatal(r.errs)
	}
	for _, flow := range []string{"orders", file} {
		r := w.flowc("verify", flow)
		if r.status != statusDone || !strings.Contains(r.out, "flow default/orders, epochs 1 to 2: 2 certificates") || !strings.Contains(r.out, "20 of 20 rows found, 0 missing, 0 duplicate, 0 out of order") ||
			!strings.HasSuffix(r.out, "all there, once and in order\n") {
			t.Errorf("%s: status %d\n%s%s", flow, r.status, r.out, r.errs)
		}
	}

	out, err := w.js.Stream(t.Context(), "OUT")
	if err != nil {
		t.Fatal(err)
	}
	if err := out.DeleteMsg(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	r := w.flowc("verify", file, "--json")
	var found struct {
		Complete bool
		Rows     int
		Missing  int
		Lots     []struct{ Epoch int } `json:"epochs_at_fault"`
	}
	if err := json.Unmarshal([]byte(r.out), &found); err != nil || r.status != statusFailed || found.Complete || found.Rows != 20 || found.Missing != 1 || len(found.Lots) != 1 || found.Lots[0].Epoch != 2 {
		t.Errorf("status %d, %+v, %v\n%s%s", r.status, found, err, r.out, r.errs)
	}
	if r := w.flowc("verify", file, "--to", "1"); r.status != statusDone {
		t.Errorf("epoch 1 alone: status %d\n%s%s", r.status, r.out, r.errs)
	}
	for args, says := range map[string]string{
		"orders --repair":             "needs the flow's file",
		file + " --repair --accept":   "choose one",
		file + " --from 7":            "the newest certified epoch is 2",
		"nosuch":                      "has no certificates of flow default/nosuch",
		"no.such":                     "a flow's name has letters",
		file + " --accept":            "add --yes",
		file + " --from 2 --to 1":     "is empty",
		file + " --from nonsense":     "invalid argument",
		file + " --param nonsense":    "--param is NAME=VALUE",
		file + " --ledger " + file:    "locking the ledger's directory",
		"nosuch.flow":                 "there is no file nosuch.flow",
		"orders orders":               "needs one flow",
		file + " --namespace another": "has no certificates of flow another/orders",
	} {
		if r := w.flowc(append([]string{"verify"}, strings.Fields(args)...)...); r.status == statusDone || !strings.Contains(r.errs, says) {
			t.Errorf("%s: status %d\n%s%s", args, r.status, r.out, r.errs)
		}
	}

	r = w.flowc("verify", file, "--repair")
	if r.status != statusFailed || !strings.Contains(r.out, "epoch 2: 0 rows written again, 1 not stored: the stream still remembers their ids") {
		t.Errorf("within the duplicate window: status %d\n%s%s", r.status, r.out, r.errs)
	}
	config := out.CachedInfo().Config
	config.Duplicates = 100_000_000
	if _, err := w.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is repaired", func() bool {
		r = w.flowc("verify", file, "--repair")
		return r.status == statusDone
	})
	if !strings.Contains(r.out, "epoch 2: 1 row written again") || w.stored("OUT") != 20 {
		t.Errorf("repaired to %d messages\n%s%s", w.stored("OUT"), r.out, r.errs)
	}
	w.acceptsOnly(file)
}

// acceptsOnly makes the destination anew, which is accepted once and for all.
func (w *world) acceptsOnly(file string) {
	t := w.t
	t.Helper()
	if err := w.js.DeleteStream(t.Context(), "OUT"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}}); err != nil {
		t.Fatal(err)
	}
	r := w.flowc("run", "--until", "caught-up", file)
	if r.status != statusFailed || !strings.Contains(r.errs, "the destination stream OUT was deleted and made again") || !strings.Contains(r.errs, "flowc verify FILE --repair") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := w.flowc("verify", file, "--accept", "--yes"); r.status != statusDone || !strings.Contains(r.out, "takes its destinations as they are, up to epoch 2") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := w.flowc("run", "--until", "caught-up", file); r.status != statusDone {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
}

func TestReplayCommand(t *testing.T) {
	w := newWorld(t)
	w.publish(20)
	file := w.flow("10/1s")
	if r := w.flowc("run", "--until", "caught-up", file); r.status != statusDone {
		t.Fatal(r.errs)
	}
	r := w.flowc("replay", file, "--epoch", "2")
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	if r.status != statusDone || len(lines) != 10 {
		t.Fatalf("status %d, %d lines\n%s%s", r.status, len(lines), r.out, r.errs)
	}
	var first struct {
		Stream, Subject, Event string
		Headers                map[string][]string
		Data                   struct{ ID int }
	}
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first.Stream != "OUT" || first.Subject != "out.v1" || first.Data.ID != 11 ||
		!strings.HasPrefix(first.Event, "ORDERS.") || first.Headers["Flow-Operation"][0] != "insert" {
		t.Errorf("found %+v, %v\n%s", first, err, lines[0])
	}
	for args, says := range map[string]string{
		file:                           "--epoch says which epoch",
		file + " --epoch 3":            "has no certificate of epoch 3",
		file + " --epoch 1 --to stdot": "did you mean stdout?",
		"orders --epoch 1":             "needs the flow's file",
		"--epoch 1":                    "needs one file",
	} {
		if r := w.flowc(append([]string{"replay"}, strings.Fields(args)...)...); r.status == statusDone || r.out != "" || !strings.Contains(r.errs, says) {
			t.Errorf("%s: status %d\n%s%s", args, r.status, r.out, r.errs)
		}
	}
}

// TestReplayOfADeletion shows a message without a body.
func TestReplayOfADeletion(t *testing.T) {
	w := newWorld(t)
	kv, err := w.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "app"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.Put(t.Context(), "a", []byte(`{"id":1}`)); err != nil {
		t.Fatal(err)
	}
	file := writeFile(t, "orders.flow", `from nats kv "app" epoch 10/1s select { id: msg.key } to nats kv "copy" key "<id>"`)
	if r := w.flowc("run", "--until", "caught-up", file); r.status != statusDone {
		t.Fatal(r.errs)
	}
	if _, err := kv.Put(t.Context(), "b", []byte(`{"id":2}`)); err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if r := w.flowc("run", "--until", "caught-up", file); r.status != statusDone {
		t.Fatal(r.errs)
	}
	if r := w.flowc("replay", file, "--epoch", "2"); r.status != statusDone || !strings.Contains(r.out, `"KV-Operation":["DEL"]`) || !strings.Contains(r.out, `"data":null`) {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
}
