package exec_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

const exactFlow = `from nats "orders.>" epoch 1000/200ms to nats stream "V1" subject "v1.orders" exactly once`

// marker is the newest one in a stream.
func (w *world) marker(stream string) *jetstream.RawStreamMsg {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := s.GetLastMsgForSubject(w.t.Context(), "flow.marker."+stream+".default.orders.0")
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// rowIDs are the ids of the rows in a stream, in its order, without markers and without
// what stands on other subjects.
func (w *world) rowIDs(stream string, others ...string) []int {
	w.t.Helper()
	var ids []int
	for _, m := range w.messages(stream) {
		if m.Header.Get("Flow-Marker") != "" || slices.Contains(others, m.Subject) {
			continue
		}
		var body struct{ ID int }
		if err := json.Unmarshal(m.Data, &body); err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, body.ID)
	}
	return ids
}

func TestExactlyOnce(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publishIDs(1, 10)
	totals, err := w.drain(exactFlow)
	if err != nil {
		t.Fatal(err)
	}
	if totals.Read != 10 || totals.Written != 10 || totals.Duplicates != 0 || totals.Epochs != 1 {
		t.Errorf("the totals are %+v", totals)
	}
	w.publishIDs(11, 15)
	if _, err := w.drain(exactFlow); err != nil {
		t.Fatal(err)
	}
	if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(15)) {
		t.Errorf("V1 holds %v", ids)
	}
	records := w.records()
	last := records[len(records)-1]
	if last.Kind != exec.CertificateRecord || last.State.Epoch != 2 || len(last.State.Markers) != 1 {
		t.Fatalf("the last record is %+v", last)
	}
	if named, there := last.State.Markers[0], w.marker("V1"); named.Sequence != there.Sequence || named.Subject != there.Subject || named.Stream != "V1" {
		t.Errorf("the ledger names %+v, and the marker has sequence %d", named, there.Sequence)
	}
	receipt := last.Epoch.Receipts[0]
	if receipt.Rows != 5 || receipt.Last-receipt.First != 4 || receipt.Last+1 != last.State.Markers[0].Sequence || receipt.CRC32C == 0 || receipt.Bytes == 0 || receipt.Created == 0 {
		t.Errorf("the receipt is %+v", receipt)
	}
	for _, m := range w.messages("V1") {
		if m.Sequence >= receipt.First && m.Sequence <= receipt.Last {
			if id := m.Header.Get("Flow-Event-Id"); !strings.HasPrefix(id, "ORDERS.") || m.Header.Get("Nats-Msg-Id") != "" {
				t.Errorf("sequence %d has the headers %v", m.Sequence, m.Header)
			}
		}
	}
	checkChain(t, records)
}

const nowPlain = `from nats "orders.>" epoch 1000/200ms to nats stream "V1" subject "v1.orders"`

// batches makes V1 so that it takes batches.
func (w *world) batches() {
	w.t.Helper()
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "V1", Subjects: []string{"v1.>", "flow.marker.V1.>"}, AllowAtomicPublish: true, AllowRollup: true, AllowMsgTTL: true, Storage: jetstream.MemoryStorage})
}

func TestSwitchingToExactlyOnceAndBack(t *testing.T) {
	w := newWorld(t)
	w.batches()
	for i, text := range []string{nowPlain, exactFlow, nowPlain, nowPlain, exactFlow, exactFlow} {
		w.publishIDs(10*i+1, 10*i+10)
		if _, err := w.drain(text); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(10*i+10)) {
			t.Fatalf("after run %d V1 holds %v", i, ids)
		}
		records := w.records()
		if named := records[len(records)-1].State.Markers; (len(named) == 1) != (text == exactFlow) {
			t.Errorf("after run %d the ledger names %v", i, named)
		}
	}
}

func TestEpochWithoutARowMovesTheMarker(t *testing.T) {
	w := newWorld(t)
	w.batches()
	w.publishIDs(1, 5)
	totals, err := w.drain(`from nats "orders.>" epoch 1000/200ms where id > 100 to nats stream "V1" subject "v1.orders" exactly once`)
	if err != nil || totals.Epochs != 1 || totals.Dropped != 5 {
		t.Errorf("the totals are %+v: %v", totals, err)
	}
	if m := w.marker("V1"); m.Sequence != 2 || !strings.Contains(string(m.Data), `"sequence":5`) {
		t.Errorf("the marker has sequence %d: %s", m.Sequence, m.Data)
	}
}

func TestEachResourceIntoItsStream(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>", "stock.>"}})
	w.publishIDs(1, 6)
	w.publish("stock.a", `{"id":1}`, `{"id":2}`)
	const text = `flow orders from nats "orders.>", nats "stock.>" epoch 3/200ms to nats stream "OF_<resource>" subject "of.<resource>" exactly once`
	for range 2 {
		if _, err := w.drain(text); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := w.rowIDs("OF_orders"), w.rowIDs("OF_stock"); !slices.Equal(a, upTo(6)) || !slices.Equal(b, upTo(2)) {
		t.Errorf("found %v and %v", a, b)
	}
}

// refusedWith is how a start ends after a change.
func refusedWith(t *testing.T, text string, change func(w *world), want ...string) {
	t.Helper()
	w := newWorld(t)
	w.batches()
	w.publishIDs(1, 5)
	if _, err := w.drain(exactFlow); err != nil {
		t.Fatal(err)
	}
	change(w)
	_, err := w.drain(text)
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || connectors.Retryable(err) || e.Help == "" {
		t.Errorf("ended with %v", err)
		return
	}
	for _, part := range want {
		if !strings.Contains(e.Error()+" "+e.Help, part) {
			t.Errorf("expected %q, found %v (%s)", part, err, e.Help)
		}
	}
}

func (w *world) purge(stream, subject string) {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := s.Purge(w.t.Context(), jetstream.WithPurgeSubject(subject)); err != nil {
		w.t.Fatal(err)
	}
}

func TestMarkersThatDoNotGoWithTheLedger(t *testing.T) {
	refusedWith(t, exactFlow, func(w *world) { w.purge("V1", "flow.marker.>") },
		`stream V1 has no marker of this flow on "flow.marker.V1.default.orders.0" any more`, "sequence 7", "verify FILE --accept")
	refusedWith(t, exactFlow, func(w *world) { w.purge("FLOW_LEDGER", "flow.ledger.default.orders.>") },
		"goes with other records of this flow than the ledger holds", "nats stream purge V1 --subject flow.marker.V1.default.orders.0")
	refusedWith(t, strings.ReplaceAll(exactFlow, "exactly once", `exactly once marker "flow.marker.V1.mine"`), func(w *world) {
		if _, err := w.drainAs(strings.Replace("flow other "+exactFlow, "exactly once", `exactly once marker "flow.marker.V1.mine"`, 1), exec.Options{Fresh: true}); err != nil {
			w.t.Fatal(err)
		}
	}, `belongs to flow default/other`)
	refusedWith(t, exactFlow, func(w *world) {
		if _, err := w.js.Publish(w.t.Context(), "flow.marker.V1.default.orders.0", []byte(`{"format":1,"certificate":{"format":99}}`)); err != nil {
			w.t.Fatal(err)
		}
	}, "it has format 99, and this flowc knows up to 2")
}

func TestLedgerThatWentBack(t *testing.T) {
	w := newWorld(t)
	w.batches()
	for i := range 3 {
		w.publishIDs(10*i+1, 10*i+10)
		if _, err := w.drain(exactFlow); err != nil {
			t.Fatal(err)
		}
	}
	ledger, err := w.js.Stream(t.Context(), "FLOW_LEDGER")
	if err != nil {
		t.Fatal(err)
	}
	var chain []*jetstream.RawStreamMsg
	for _, m := range w.messages("FLOW_LEDGER") {
		if strings.HasSuffix(m.Subject, ".epoch") {
			chain = append(chain, m)
		}
	}
	for _, m := range chain[2:] { // all behind the first epoch's certificate
		if err := ledger.DeleteMsg(t.Context(), m.Sequence); err != nil {
			t.Fatal(err)
		}
	}
	w.publishIDs(31, 35)
	r := w.start(exactFlow)
	eventually(t, "the new rows", func() bool { return len(w.rowIDs("V1")) >= 35 })
	close(r.stop)
	<-r.done
	if ids := w.rowIDs("V1"); r.err != nil || !slices.Equal(ids, upTo(35)) {
		t.Errorf("V1 holds %v: %v", ids, r.err)
	}
	if !slices.ContainsFunc(r.notices, func(n connectors.Notice) bool { return n.Warning && strings.Contains(n.Text, "the ledger went back") }) {
		t.Errorf("said %v", r.notices)
	}
}

func TestLostDestinationCanBeGivenUpOrRepaired(t *testing.T) {
	for _, repair := range []bool{false, true} {
		w := newWorld(t)
		w.batches()
		w.publishIDs(1, 10)
		if _, err := w.drain(exactFlow); err != nil {
			t.Fatal(err)
		}
		if err := w.js.DeleteStream(t.Context(), "V1"); err != nil {
			t.Fatal(err)
		}
		w.publishIDs(11, 15)
		if _, err := w.drain(exactFlow); err == nil || !strings.Contains(err.Error(), "V1 is gone") {
			t.Errorf("a lost destination: %v", err)
		}
		asked := w.asked()
		if repair {
			found, err := exec.Verify(t.Context(), asked)
			if err != nil {
				t.Fatal(err)
			}
			if done, err := exec.Repair(t.Context(), w.plan(exactFlow), asked.Ledger, found, func(connectors.Notice) {}); err != nil || len(done) != 1 || done[0].Rows != 10 {
				t.Fatalf("repaired %+v: %v", done, err)
			}
		} else if _, err := exec.AcceptDestinations(t.Context(), asked.Ledger); err != nil {
			t.Fatal(err)
		}
		if _, err := w.drain(exactFlow); err != nil {
			t.Fatal(err)
		}
		want := upTo(15)
		if !repair {
			want = want[10:]
		}
		if ids := w.rowIDs("V1"); !slices.Equal(ids, want) {
			t.Errorf("repaired %v: V1 holds %v", repair, ids)
		}
	}
}

func TestVerifyOfWhatIsWrittenOnce(t *testing.T) {
	w := everyStep(t)
	if _, err := w.drain(everyStepFlow); err != nil {
		t.Fatal(err)
	}
	found := w.verify()
	if !found.Complete() {
		t.Errorf("a whole destination: %+v", found)
	}
	rows := w.on("V1", "v1.orders")
	s, err := w.js.Stream(t.Context(), "V1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), rows[3].Sequence); err != nil {
		t.Fatal(err)
	}
	if found := w.verify(); found.Complete() {
		t.Error("a removed row is not missed")
	}
}

func TestALoopThroughOneOfTwoExactSinks(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>", "v1.>", "flow.marker.ORDERS.>"}, AllowAtomicPublish: true, AllowRollup: true, AllowMsgTTL: true, Storage: jetstream.MemoryStorage})
	_, err := w.drain(`from nats "orders.>" epoch 1000/200ms
		to nats stream "ORDERS" subject "v1.a" exactly once when id == 1
		to nats stream "OUT" subject "out.b" exactly once otherwise`)
	if err == nil || !strings.Contains(err.Error(), "feed itself") {
		t.Errorf("ended with %v", err)
	}
}
