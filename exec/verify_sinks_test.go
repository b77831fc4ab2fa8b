package exec_test

import (
	"slices"
	"testing"

	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// routed is a flow with two sinks into OUT, which overlap in some rows, and one into
// MORE, on subjects that rows fill in.
const routed = `from nats "orders.>", nats "stock.>" schema { id: int } epoch 10/200ms
	to nats stream "OUT" subject "out.all.<resource>" envelope none
	to nats stream "OUT" subject "out.even.<id>" envelope none when id % 2 == 0
	to nats stream "MORE" subject "more.<id>" envelope headers`

// TestVerifySeveralSinks removes a row of one sink, which is found and repaired, and
// nothing else is written.
func TestVerifySeveralSinks(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "STOCK", Subjects: []string{"stock.>"}})
	for name, subject := range map[string]string{"OUT": "out.>", "MORE": "more.>"} {
		config := short
		config.Name, config.Subjects = name, []string{subject}
		w.stream(config)
	}
	w.publishIDs(1, 20)
	for range 2 {
		w.publish("stock.a", `{"id":1}`, `{"id":2}`)
	}
	w.mustDrain(routed)
	want := exec.RowCounts{Rows: 24 + 12 + 24, Found: 60}
	if found := w.verify(); found.RowCounts != want || !found.Complete() || len(found.Destinations) != 2 {
		t.Fatalf("found %+v, %+v", found.RowCounts, found.Lots)
	}

	var gone []uint64
	for _, m := range w.messages("OUT") {
		if m.Subject == "out.even.8" || m.Subject == "out.all.orders" && idOf(t, m.Data) == 15 {
			gone = append(gone, m.Sequence)
		}
	}
	w.remove(gone...)
	more, err := w.js.Stream(t.Context(), "MORE")
	if err != nil {
		t.Fatal(err)
	}
	if err := more.DeleteMsg(t.Context(), w.messages("MORE")[3].Sequence); err != nil {
		t.Fatal(err)
	}
	found := w.verify()
	if found.Missing != 3 || found.Found != 57 || found.Duplicate+found.OutOfOrder+found.Altered > 0 {
		t.Fatalf("found %+v, %+v", found.RowCounts, found.Lots)
	}
	w.forgets()
	before := len(w.messages("OUT")) + len(w.messages("MORE"))
	rows := 0
	for _, done := range w.repair(routed) {
		rows += done.Rows
		if done.Failed != "" || done.Refused > 0 {
			t.Errorf("found %+v", done)
		}
	}
	if after := len(w.messages("OUT")) + len(w.messages("MORE")); rows != 3 || after-before != 3 {
		t.Errorf("%d rows are repaired, %d messages written", rows, after-before)
	}
	if found := w.verify(); found.RowCounts != want || !found.Complete() {
		t.Errorf("after the repair: %+v, %+v", found.RowCounts, found.Lots)
	}
}

// TestVerifyAfterAKill writes rows that are there already and that no certificate
// counts, as a run leaves them which was killed: they are suppressed, and all is there.
func TestVerifyAfterAKill(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 40)
	// The run that wrote them has no certificates and no consumer any more.
	w.mustDrain(envelopes["body"])
	ledger, err := w.js.Stream(t.Context(), "FLOW_LEDGER")
	if err != nil {
		t.Fatal(err)
	}
	if err := ledger.Purge(t.Context(), jetstream.WithPurgeSubject("flow.ledger.default.orders.>")); err != nil {
		t.Fatal(err)
	}
	if err := w.js.DeleteConsumer(t.Context(), "ORDERS", "flow-default-orders"); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(41, 45)
	w.mustDrain(envelopes["body"])
	found := w.verify()
	if expectCounts(t, found, exec.RowCounts{Rows: 45, Found: 45}); !found.Complete() {
		t.Errorf("found %+v", found)
	}
	if got := w.ids("OUT"); !slices.Equal(got, upTo(45)) {
		t.Errorf("OUT holds %v", got)
	}
}
