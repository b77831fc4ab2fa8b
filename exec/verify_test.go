package exec_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// asked is what a test verifies with: the flow's connection and ledger.
func (w *world) asked() exec.Verification {
	w.t.Helper()
	conn := w.connect()
	return exec.Verification{Flow: someFlow, Ledger: w.ledgerOf(conn), Source: conn, Destinations: map[string]connectors.Archive{"nats": conn}}
}

func (w *world) verify() *exec.Evidence {
	w.t.Helper()
	found, err := exec.Verify(w.t.Context(), w.asked())
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

// The three ways in which a written message may tell what it came from.
var envelopes = map[string]string{
	"body":    smallEpochs,
	"headers": `from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1" envelope headers`,
	"none":    `from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1" envelope none`,
}

// certified is a world with 40 messages: four epochs, if they are small.
func certified(t *testing.T, flow string, out jetstream.StreamConfig) *world {
	t.Helper()
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	out.Name, out.Subjects = "OUT", []string{"out.>"}
	w.stream(out)
	w.publishIDs(1, 40)
	w.mustDrain(flow)
	return w
}

func (w *world) out() jetstream.Stream {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), "OUT")
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func (w *world) remove(sequences ...uint64) {
	w.t.Helper()
	for _, s := range sequences {
		if err := w.out().DeleteMsg(w.t.Context(), s); err != nil {
			w.t.Fatal(err)
		}
	}
}

// copyOf publishes a message of OUT again, as it was but for the id by which the
// server would drop it now; an hour later it would not.
func (w *world) copyOf(m *jetstream.RawStreamMsg) {
	w.t.Helper()
	again := &natsgo.Msg{Subject: m.Subject, Data: m.Data, Header: m.Header}
	if _, err := w.js.PublishMsg(w.t.Context(), again); err != nil {
		w.t.Fatal(err)
	}
}

// short is a stream that forgets ids at once, so that tests need no hour.
var short = jetstream.StreamConfig{Duplicates: 100 * time.Millisecond}

// forgets waits until OUT takes a message again whose id it had.
func (w *world) forgets() {
	w.t.Helper()
	id := jetstream.WithMsgID("a probe")
	if _, err := w.js.Publish(w.t.Context(), "out.probe", nil, id); err != nil {
		w.t.Fatal(err)
	}
	eventually(w.t, "the ids are forgotten", func() bool {
		ack, err := w.js.Publish(w.t.Context(), "out.probe", nil, id)
		return err == nil && !ack.Duplicate
	})
}

func expectCounts(t *testing.T, found *exec.Evidence, want exec.RowCounts) {
	t.Helper()
	if found.RowCounts != want {
		t.Errorf("expected %+v\nfound    %+v\n%+v", want, found.RowCounts, found.Lots)
	}
}

func TestVerifyFindsNothingWrong(t *testing.T) {
	for name, flow := range envelopes {
		t.Run(name, func(t *testing.T) {
			w := certified(t, flow, jetstream.StreamConfig{})
			w.publish("out.v1", `{"id":"of somebody else"}`)
			found := w.verify()
			expectCounts(t, found, exec.RowCounts{Rows: 40, Found: 40})
			if !found.Complete() || found.Epochs != 4 || found.Ledger.Oldest != 1 || found.Ledger.Newest != 4 || found.Ledger.Cut {
				t.Errorf("found %+v", found)
			}
		})
	}
}

// TestVerifyFindsPlantedFaults plants each fault in each envelope.
func TestVerifyFindsPlantedFaults(t *testing.T) {
	for name, flow := range envelopes {
		for fault, c := range map[string]struct {
			plant  func(w *world)
			want   exec.RowCounts
			epochs []uint64 // at fault
		}{
			"removed":       {func(w *world) { w.remove(15, 23) }, exec.RowCounts{Rows: 40, Found: 38, Missing: 2}, []uint64{2, 3}},
			"first removed": {func(w *world) { w.remove(1) }, exec.RowCounts{Rows: 40, Found: 39, Missing: 1}, []uint64{1}},
			"doubled": {func(w *world) { w.forgets(); w.copyOf(w.messages("OUT")[14]) },
				exec.RowCounts{Rows: 40, Found: 40, Duplicate: 1}, []uint64{2}},
			"swapped": {func(w *world) {
				all := w.messages("OUT")
				w.forgets()
				w.remove(39, 40)
				w.copyOf(all[39])
				w.copyOf(all[38])
			}, exec.RowCounts{Rows: 40, Found: 40, OutOfOrder: 1}, []uint64{4}},
			"moved behind": {func(w *world) {
				all := w.messages("OUT")
				w.forgets()
				w.remove(15)
				w.copyOf(all[14])
			}, exec.RowCounts{Rows: 40, Found: 40, OutOfOrder: 1}, []uint64{2}},
			"made anew": {func(w *world) {
				if err := w.js.DeleteStream(w.t.Context(), "OUT"); err != nil {
					w.t.Fatal(err)
				}
				w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
			}, exec.RowCounts{Rows: 40, Missing: 40}, []uint64{1, 2, 3, 4}},
			"gone": {func(w *world) {
				if err := w.js.DeleteStream(w.t.Context(), "OUT"); err != nil {
					w.t.Fatal(err)
				}
			}, exec.RowCounts{Rows: 40, Missing: 40}, []uint64{1, 2, 3, 4}},
		} {
			t.Run(name+" "+fault, func(t *testing.T) {
				t.Parallel()
				w := certified(t, flow, short)
				c.plant(w)
				found := w.verify()
				expectCounts(t, found, c.want)
				var epochs []uint64
				for _, l := range found.Lots {
					epochs = append(epochs, l.Epoch)
				}
				if found.Complete() || !found.Faulty() || !slices.Equal(epochs, c.epochs) {
					t.Errorf("complete %v, faulty %v, at fault epochs %v, expected %v", found.Complete(), found.Faulty(), epochs, c.epochs)
				}
			})
		}
	}
}

// corrupted is an archive in which the content of one message changed on its disk.
type corrupted struct {
	connectors.Archive
	sequence uint64
}

func (c corrupted) Scan(ctx context.Context, stream string, first, last uint64, each func(*connectors.Stored) error) error {
	return c.Archive.Scan(ctx, stream, first, last, func(m *connectors.Stored) error {
		if m.Sequence == c.sequence {
			m.Data = bytes.Replace(m.Data, []byte(`"id":`), []byte(`"id":9`), 1)
		}
		return each(m)
	})
}

func TestVerifyFindsAnotherContent(t *testing.T) {
	for name, flow := range envelopes {
		w := certified(t, flow, jetstream.StreamConfig{})
		v := w.asked()
		v.Destinations["nats"] = corrupted{v.Destinations["nats"], 15}
		found, err := exec.Verify(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		if found.RowCounts != (exec.RowCounts{Rows: 40, Found: 40, Altered: 1}) || len(found.Lots) != 1 || found.Lots[0].Epoch != 2 {
			t.Errorf("%s: found %+v", name, found)
		}
	}
}

func TestVerifyTellsRemovedByLimits(t *testing.T) {
	w := certified(t, plainFlow, jetstream.StreamConfig{MaxMsgs: 25})
	found := w.verify()
	expectCounts(t, found, exec.RowCounts{Rows: 40, Found: 25, Removed: 15})
	if found.Faulty() || found.Complete() {
		t.Errorf("found %+v", found)
	}
}

// TestVerifyWithoutTheSource has only the receipts and what the messages say of
// themselves.
func TestVerifyWithoutTheSource(t *testing.T) {
	for name, want := range map[string]exec.RowCounts{
		"body": {Rows: 40, Found: 39, Missing: 1},
		"none": {Rows: 40, Found: 30, Missing: 1, Unproven: 9},
	} {
		t.Run(name, func(t *testing.T) {
			w := certified(t, envelopes[name], short)
			source, err := w.js.Stream(t.Context(), "ORDERS")
			if err != nil {
				t.Fatal(err)
			}
			if err := source.Purge(t.Context()); err != nil {
				t.Fatal(err)
			}
			expectCounts(t, w.verify(), exec.RowCounts{Rows: 40, Found: 40})
			w.remove(15)
			expectCounts(t, w.verify(), want)
		})
	}
}

func TestVerifyFindsAHoleInTheLedger(t *testing.T) {
	w := certified(t, envelopes["body"], jetstream.StreamConfig{})
	ledger, err := w.js.Stream(t.Context(), "FLOW_LEDGER")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.messages("FLOW_LEDGER") {
		if strings.Contains(string(m.Data), `"kind":"certificate"`) && strings.Contains(string(m.Data), `"epoch":3,`) {
			if err := ledger.DeleteMsg(t.Context(), m.Sequence); err != nil {
				t.Fatal(err)
			}
		}
	}
	found := w.verify()
	if fmt.Sprint(found.Holes) != "[{2 4}]" || !found.Faulty() || found.Epochs != 3 || found.Rows != 30 {
		t.Errorf("found %+v", found)
	}
	v := w.asked()
	v.From = 4
	if found, err := exec.Verify(t.Context(), v); err != nil || !found.Complete() || found.Rows != 10 {
		t.Errorf("epoch 4 alone: found %+v, %v", found, err)
	}
}

func TestVerifyRange(t *testing.T) {
	w := certified(t, envelopes["none"], jetstream.StreamConfig{})
	w.remove(15)
	for r, complete := range map[[2]uint64]bool{{1, 1}: true, {2, 2}: false, {3, 4}: true, {3, 0}: true, {0, 0}: false} {
		v := w.asked()
		v.From, v.To = r[0], r[1]
		found, err := exec.Verify(t.Context(), v)
		if err != nil || found.Complete() != complete {
			t.Errorf("%v: expected complete %v, found %+v, %v", r, complete, found, err)
		}
	}
	for r, says := range map[[2]uint64]string{{3, 2}: "is empty", {1, 9}: "the newest certified epoch is 4"} {
		v := w.asked()
		v.From, v.To = r[0], r[1]
		if _, err := exec.Verify(t.Context(), v); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: expected an error with %q, found %v", r, says, err)
		}
	}
}

// TestVerifyTellsFlowsApart lets two flows write the same events into one stream.
func TestVerifyTellsFlowsApart(t *testing.T) {
	w := certified(t, envelopes["body"], jetstream.StreamConfig{})
	if _, err := w.drainAs(`flow other from nats "orders.>" epoch 7/200ms to nats stream "OUT" subject "out.v1"`, exec.Options{Fresh: true}); err != nil {
		t.Fatal(err)
	}
	expectCounts(t, w.verify(), exec.RowCounts{Rows: 40, Found: 40})
}

// TestVerifyLooksAtANameSinceItBeganAnew lets another flow adopt one, and the old name
// begin anew: what it wrote in its first life is not missing from its second one.
func TestVerifyLooksAtANameSinceItBeganAnew(t *testing.T) {
	w := certified(t, envelopes["body"], jetstream.StreamConfig{})
	adopter := `flow adopter from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1"`
	if _, err := w.drainAs(adopter, exec.Options{Adopt: "orders"}); err != nil {
		t.Fatal(err)
	}
	expectCounts(t, w.verify(), exec.RowCounts{Rows: 40, Found: 40})
	if totals, err := w.drainAs(envelopes["body"], exec.Options{Fresh: true}); err != nil || totals.Read != 40 {
		t.Fatalf("begun anew it read %d: %v", totals.Read, err)
	}
	expectCounts(t, w.verify(), exec.RowCounts{Rows: 40, Found: 40})
}
