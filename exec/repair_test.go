package exec_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// powerFailure is a world in which OUT lost all that the second of two runs wrote:
// its files are those of before. It has 40 messages in four epochs.
func powerFailure(t *testing.T, flow string) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t}
	w.startIn(dir)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	w.publishIDs(1, 20)
	w.mustDrain(flow)
	w.server.Stop()
	files := filepath.Join(dir, "jetstream", "$G", "streams", "OUT")
	before := filepath.Join(t.TempDir(), "OUT")
	if err := os.CopyFS(before, os.DirFS(files)); err != nil {
		t.Fatal(err)
	}
	w.startIn(dir)
	w.publishIDs(21, 40)
	w.mustDrain(flow)
	w.server.Stop()
	if err := os.RemoveAll(files); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(files, os.DirFS(before)); err != nil {
		t.Fatal(err)
	}
	w.startIn(dir)
	return w
}

func (w *world) repair(flow string) []exec.Repaired {
	w.t.Helper()
	v := w.asked()
	found, err := exec.Verify(w.t.Context(), v)
	if err != nil {
		w.t.Fatal(err)
	}
	done, err := exec.Repair(w.t.Context(), w.plan(flow), v.Ledger, found, func(connectors.Notice) {})
	if err != nil {
		w.t.Fatal(err)
	}
	return done
}

func (w *world) refusesToStart(flow string, says ...string) {
	w.t.Helper()
	_, err := w.drain(flow)
	if err == nil {
		w.t.Fatal("the flow went on over what its destination lost")
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			w.t.Errorf("expected %q in the error, found %v", text, err)
		}
	}
	if e, ok := errors.AsType[*connectors.Error](err); !ok || !strings.Contains(e.Help, "--repair") || !strings.Contains(e.Help, "--accept") {
		w.t.Errorf("the error does not say how to go on: %+v", err)
	}
}

func TestDestinationThatWentBackIsFoundAndRepaired(t *testing.T) {
	for name, flow := range envelopes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := powerFailure(t, flow)
			w.publishIDs(41, 45)
			w.refusesToStart(flow, "OUT went back: it ends at sequence 20, and sequences up to 40 are certified", "20 rows of epochs 3 to 4 are missing")
			if got := w.ids("OUT"); !slices.Equal(got, upTo(20)) {
				t.Fatalf("the start that was refused wrote: %v", got)
			}
			found := w.verify()
			expectCounts(t, found, exec.RowCounts{Rows: 40, Found: 20, Missing: 20})
			if s := found.Destinations[0].State; s != "went back to sequence 20" {
				t.Errorf("the stream is %q", s)
			}
			done := w.repair(flow)
			if want := []exec.Repaired{{Epoch: 3, Rows: 10}, {Epoch: 4, Rows: 10}}; !slices.Equal(done, want) {
				t.Errorf("expected %+v, found %+v", want, done)
			}
			if found := w.verify(); !found.Complete() {
				t.Errorf("after the repair: %+v", found)
			}
			w.mustDrain(flow)
			if got := w.ids("OUT"); !slices.Equal(got, upTo(45)) {
				t.Errorf("expected 1 to 45 in order, found %v", got)
			}
			expectCounts(t, w.verify(), exec.RowCounts{Rows: 45, Found: 45})
		})
	}
}

// TestRepairWritesOnlyWhatIsMissing removes two rows out of the middle: theirs alone
// are written again, and stand where they can.
func TestRepairWritesOnlyWhatIsMissing(t *testing.T) {
	for name, flow := range envelopes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := certified(t, flow, short)
			w.remove(15, 23)
			w.forgets()
			if done, want := w.repair(flow), []exec.Repaired{{Epoch: 2, Rows: 1}, {Epoch: 3, Rows: 1}}; !slices.Equal(done, want) {
				t.Errorf("expected %+v, found %+v", want, done)
			}
			found := w.verify()
			if expectCounts(t, found, exec.RowCounts{Rows: 40, Found: 40}); !found.Complete() {
				t.Errorf("after the repair: %+v", found)
			}
			if again := w.repair(flow); len(again) > 0 {
				t.Errorf("a second repair wrote %+v", again)
			}
		})
	}
}

// TestRepairWithinTheDuplicateWindow cannot store what the stream remembers the id of.
func TestRepairWithinTheDuplicateWindow(t *testing.T) {
	w := certified(t, plainFlow, jetstream.StreamConfig{})
	w.remove(15)
	if done := w.repair(plainFlow); len(done) != 1 || done[0].Rows != 0 || done[0].Refused != 1 {
		t.Errorf("found %+v", done)
	}
	if found := w.verify(); found.Missing != 1 {
		t.Errorf("a row that was refused counts as there: %+v", found.RowCounts)
	}
}

func TestRepairWithoutTheSource(t *testing.T) {
	w := certified(t, envelopes["body"], short)
	w.remove(5, 15, 25)
	source, err := w.js.Stream(t.Context(), "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	if err := source.Purge(t.Context(), jetstream.WithPurgeSequence(14)); err != nil {
		t.Fatal(err)
	}
	w.forgets()
	done := w.repair(envelopes["body"])
	if len(done) != 3 || !strings.Contains(done[0].Failed, "epoch 1 was made of 10 messages of stream ORDERS, sequences 1 to 10, and 0 of them are left") ||
		!strings.Contains(done[1].Failed, "and 7 of them are left") || done[2].Failed != "" || done[2].Rows != 1 {
		t.Errorf("found %+v", done)
	}
	if found := w.verify(); found.Missing != 2 {
		t.Errorf("found %+v", found.RowCounts)
	}
}

// TestRepairLeavesWhatAnotherVersionWrote, and repairs what this one did.
func TestRepairLeavesWhatAnotherVersionWrote(t *testing.T) {
	w := certified(t, plainFlow, short)
	const other = `from nats "orders.>" where id > 3 to nats stream "OUT" subject "out.v1"`
	w.publishIDs(41, 50)
	w.mustDrain(other)
	w.remove(5, 45)
	w.forgets()
	done := w.repair(other)
	if len(done) != 2 || done[0].Epoch != 1 || !strings.Contains(done[0].Failed, "was written by another version") || !strings.Contains(done[0].Failed, "; use the file as it was then") {
		t.Errorf("found %+v", done)
	}
	if want := (exec.Repaired{Epoch: 2, Rows: 1}); done[len(done)-1] != want {
		t.Errorf("expected %+v, found %+v", want, done)
	}
	err := exec.Replay(t.Context(), w.plan(other), w.ledger(), 1, func(connectors.Notice) {}, func(connectors.Prepared) error { return nil })
	if connectors.ClassOf(err) != connectors.Refused || !strings.Contains(err.Error(), "was written by another version") {
		t.Errorf("a replay: %v", err)
	}
}

// TestRepairStopsWhoRuns: two processes must not write one flow's rows.
func TestRepairStopsWhoRuns(t *testing.T) {
	w := certified(t, plainFlow, short)
	w.remove(5)
	r := w.start(plainFlow)
	eventually(t, "it runs", func() bool { return r.count(exec.Admitted) > 0 })
	w.forgets()
	w.repair(plainFlow)
	w.publishIDs(41, 41)
	eventually(t, "the run ends", r.ended)
	if r.err == nil || !strings.Contains(r.err.Error(), "another owner has taken over") {
		t.Errorf("found %v", r.err)
	}
}

func TestDestinationMadeAnew(t *testing.T) {
	for name, more := range map[string]bool{"gone": false, "made anew": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := certified(t, envelopes["none"], jetstream.StreamConfig{})
			if err := w.js.DeleteStream(t.Context(), "OUT"); err != nil {
				t.Fatal(err)
			}
			says := "OUT is gone"
			if more {
				w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
				says = "OUT was deleted and made again"
			}
			w.refusesToStart(envelopes["none"], says, "40 rows of epochs 1 to 4 are missing")
			if done := w.repair(envelopes["none"]); len(done) != 4 {
				t.Errorf("found %+v", done)
			}
			if found := w.verify(); !found.Complete() {
				t.Errorf("after the repair: %+v", found)
			}
			w.mustDrain(envelopes["none"])
			if got := w.ids("OUT"); !slices.Equal(got, upTo(40)) {
				t.Errorf("expected 1 to 40 in order, found %v", got)
			}
		})
	}
}

// TestAcceptedDestination purges on purpose, by making the stream anew.
func TestAcceptedDestination(t *testing.T) {
	w := certified(t, plainFlow, jetstream.StreamConfig{})
	if err := w.js.DeleteStream(t.Context(), "OUT"); err != nil {
		t.Fatal(err)
	}
	w.refusesToStart(plainFlow, "is gone")
	e, err := exec.AcceptDestinations(t.Context(), w.ledger())
	if err != nil || e.Kind != exec.AcceptRecord || e.State.Epoch != 1 {
		t.Fatalf("found %+v, %v", e, err)
	}
	w.publishIDs(41, 45)
	w.mustDrain(plainFlow)
	found := w.verify()
	if expectCounts(t, found, exec.RowCounts{Rows: 5, Found: 5}); !found.Complete() || found.Ledger.Accepted != 1 {
		t.Errorf("found %+v", found)
	}
	v := w.asked()
	v.From = 1
	if found, err := exec.Verify(t.Context(), v); err != nil || found.Missing != 40 {
		t.Errorf("from epoch 1: found %+v, %v", found, err)
	}
}

// TestPurgedDestination stays the same stream and keeps its last sequence: whoever
// purges wants it so, and a flow goes on.
func TestPurgedDestination(t *testing.T) {
	w := certified(t, plainFlow, jetstream.StreamConfig{})
	if err := w.out().Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(41, 45)
	w.mustDrain(plainFlow)
	if found := w.verify(); found.Missing != 40 || found.Found != 5 {
		t.Errorf("found %+v", found.RowCounts)
	}
}

func TestReplay(t *testing.T) {
	const flow = `from nats "orders.>" epoch 10/200ms where id % 2 == 0 select { id, twice: id * 2 } to nats stream "OUT" subject "out.v1"`
	w := certified(t, flow, jetstream.StreamConfig{})
	before := w.consumer("ORDERS")
	var got []string
	err := exec.Replay(t.Context(), w.plan(flow), w.ledger(), 2, func(connectors.Notice) {}, func(p connectors.Prepared) error {
		got = append(got, p.Stream+" "+p.Subject+" "+string(p.Data))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range w.messages("OUT")[5:10] {
		want = append(want, "OUT "+m.Subject+" "+string(m.Data))
	}
	if !slices.Equal(got, want) {
		t.Errorf("expected %q, found %q", want, got)
	}
	if after := w.consumer("ORDERS"); after.Delivered.Consumer != before.Delivered.Consumer || after.AckFloor.Consumer != before.AckFloor.Consumer {
		t.Errorf("the replay touched the consumer: %+v, then %+v", before, after)
	}
	if n := len(w.messages("OUT")); n != 20 {
		t.Errorf("the replay wrote: %d messages", n)
	}
	err = exec.Replay(t.Context(), w.plan(flow), w.ledger(), 9, func(connectors.Notice) {}, nil)
	if err == nil || !strings.Contains(err.Error(), "has no certificate of epoch 9") {
		t.Errorf("found %v", err)
	}
}

// TestReplayMakesNothing shows what would go into a stream that is not there.
func TestReplayMakesNothing(t *testing.T) {
	const flow = `from nats "orders.>" schema { id: int } epoch 10/200ms to nats stream "O_<id>" subject "o.<id>" envelope none`
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publishIDs(1, 2)
	w.mustDrain(flow)
	if err := w.js.DeleteStream(t.Context(), "O_1"); err != nil {
		t.Fatal(err)
	}
	var got []string
	if err := exec.Replay(t.Context(), w.plan(flow), w.ledger(), 1, func(connectors.Notice) {}, func(p connectors.Prepared) error {
		got = append(got, p.Stream+" "+string(p.Data))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if want := []string{`O_1 {"id":1}`, `O_2 {"id":2}`}; !slices.Equal(got, want) {
		t.Errorf("expected %q, found %q", want, got)
	}
	if _, err := w.js.Stream(t.Context(), "O_1"); err == nil {
		t.Error("the replay made the stream")
	}
}
