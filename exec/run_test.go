package exec_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	"github.com/nats-io/nats.go/jetstream"
)

func TestEpochIsCertifiedThenAcknowledged(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 25)
	totals, err := w.drain(`from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1"`)
	if err != nil {
		t.Fatal(err)
	}
	if totals.Epochs != 3 || totals.Read != 25 || totals.Written != 25 {
		t.Errorf("totals are %+v", totals)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(25)) {
		t.Errorf("OUT holds %v", ids)
	}
	if c := w.consumer("ORDERS"); c.AckFloor.Stream != 25 || c.NumAckPending != 0 {
		t.Errorf("consumer is at %d with %d pending", c.AckFloor.Stream, c.NumAckPending)
	}
	records := w.records()
	if len(records) != 4 || records[0].Kind != exec.ClaimRecord {
		t.Fatalf("the chain is %+v", records)
	}
	last := records[3]
	if last.Kind != exec.CertificateRecord || last.State.Epoch != 3 || last.State.Positions[0].Sequence != 25 {
		t.Errorf("the last certificate is %+v", last)
	}
	want := connectors.Range{Stream: "ORDERS", First: 21, Last: 25, Records: 5}
	if last.Epoch.Ranges[0] != want {
		t.Errorf("its range is %+v", last.Epoch.Ranges[0])
	}
	if r := last.Epoch.Receipts[0]; r.Stream != "OUT" || r.Rows != 5 || r.First != 21 || r.Last != 25 || r.CRC32C == 0 {
		t.Errorf("its receipt is %+v", r)
	}
}

func TestTimeIsDividedWithoutRest(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 50)
	began := time.Now()
	totals, err := w.drain(plainFlow)
	took := time.Since(began)
	if err != nil {
		t.Fatal(err)
	}
	var sum time.Duration
	for _, d := range totals.Time {
		sum += d
	}
	if totals.Time[exec.Reading] == 0 || totals.Time[exec.Applying] == 0 || sum > took || sum < took/4 {
		t.Errorf("phases make up %v of %v: %v", sum, took, totals.Time)
	}
}

func TestFaultCertifiesNothing(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1}`, `{"id":2}`, `{"id":"three"}`)
	for range 2 { // a restart meets the same
		_, err := w.drain(plainFlow)
		fault, ok := errors.AsType[*exec.RowFault](err)
		if !ok {
			t.Fatalf("the run ended with %v", err)
		}
		if fault.Resource != "orders" || fault.Stream != "ORDERS" || fault.Sequence != 3 || !strings.Contains(fault.Error(), "id") {
			t.Errorf("the fault is %v", fault)
		}
		if n := len(w.messages("OUT")); n != 0 {
			t.Errorf("OUT holds %d messages", n)
		}
		if c := w.consumer("ORDERS"); c.AckFloor.Stream != 0 {
			t.Errorf("the consumer is at %d", c.AckFloor.Stream)
		}
	}
	for _, r := range w.records() {
		if r.Kind == exec.CertificateRecord {
			t.Errorf("certified: %+v", r)
		}
	}
}

func TestSchemaOutlivesTheRun(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1,"note":null}`)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	w.publish("orders.a", `{"id":2}`, `{"id":3,"note":"x"}`)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	bodies := w.messages("OUT")
	if !strings.HasPrefix(string(bodies[1].Data), `{"id":2,"note":null,`) || !strings.HasPrefix(string(bodies[2].Data), `{"id":3,"note":"x",`) {
		t.Errorf("bodies are %s and %s", bodies[1].Data, bodies[2].Data)
	}
	w.publish("orders.a", `{"id":4,"note":5}`)
	if _, err := w.drain(plainFlow); err == nil {
		t.Error("another type than the kept schema's was taken")
	}
}

func TestSchemaOfAFailedEpochIsForgotten(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1,"n":1}`, `{"id":2,"n":1,"extra":true}`)
	if _, err := w.drain(plainFlow); err == nil {
		t.Fatal("an unknown member was taken")
	}
	stream, err := w.js.Stream(t.Context(), "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	for _, sequence := range []uint64{1, 2} {
		if err := stream.DeleteMsg(t.Context(), sequence); err != nil {
			t.Fatal(err)
		}
	}
	w.publish("orders.a", `{"name":"other"}`)
	if _, err := w.drain(plainFlow); err != nil {
		t.Errorf("the failed epoch's schema was kept: %v", err)
	}
}

func TestRestartGoesOnAfterTheCertificate(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 10)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(11, 20)
	totals, err := w.drain(`from nats "orders.>" epoch 7/200ms to nats stream "OUT" subject "out.v1"`)
	if err != nil {
		t.Fatal(err)
	}
	if totals.Read != 10 || totals.Duplicates != 0 {
		t.Errorf("the second run read %d and repeated %d", totals.Read, totals.Duplicates)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(20)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestConsumerLostBetweenRuns(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 5)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	if err := w.js.DeleteConsumer(t.Context(), "ORDERS", "flow-default-orders"); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(6, 8)
	if totals, err := w.drain(plainFlow); err != nil || totals.Read != 3 {
		t.Errorf("read %d: %v", totals.Read, err)
	}
}

func TestStopFinishesTheOpenEpoch(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 30)
	h := w.hold(`from nats "orders.>" epoch 100000/10m to nats stream "OUT" subject "out.v1"`)
	h.reads()
	close(h.stop)
	eventually(t, "the run ends", h.ended)
	// What the server has sent of the others may not have come in yet: then it is handed back.
	written := len(w.messages("OUT"))
	if h.err != nil || written == 0 || h.totals.Epochs != 1 || int(h.totals.Written) != written {
		t.Errorf("ended with %+v and %d messages in OUT, %v", h.totals, written, h.err)
	}
	if c := w.consumer("ORDERS"); int(c.AckFloor.Stream) != written {
		t.Errorf("the consumer is at %d, OUT at %d", c.AckFloor.Stream, written)
	}
}

func TestTwoOwnersNeverBothCertify(t *testing.T) {
	w := newWorld(t)
	w.plain()
	first := w.start(plainFlow)
	w.publishIDs(1, 10)
	eventually(t, "the first owner certifies", func() bool { return first.count(exec.Certified) > 0 })
	second := w.startAs(plainFlow, exec.Options{Replace: true})
	eventually(t, "the second owner is admitted", func() bool { return second.count(exec.Admitted) > 0 })
	for i := 11; !first.ended(); i++ {
		if i > 2000 {
			t.Fatal("the first owner goes on")
		}
		w.publishIDs(i, i)
	}
	if !errors.Is(first.err, connectors.ErrSuperseded) || !strings.Contains(first.err.Error(), "process") {
		t.Errorf("the first owner ended with %v", first.err)
	}
	total := len(w.messages("ORDERS"))
	eventually(t, "the second owner writes all", func() bool { return len(w.messages("OUT")) == total })
	close(second.stop)
	eventually(t, "the second owner ends", second.ended)
	if second.err != nil {
		t.Error(second.err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(total)) {
		t.Errorf("OUT holds %d ids, not 1 to %d once each in order", len(ids), total)
	}
	checkChain(t, w.records())
}

// checkChain makes sure that attempts never go back, and that epochs follow each
// other, each certified once, by the owner of the newest claim.
func checkChain(t *testing.T, records []exec.Record) {
	t.Helper()
	var before exec.Record
	for i, r := range records {
		switch {
		case i == 0 && r.Kind != exec.ClaimRecord:
			t.Errorf("the chain begins with %+v", r)
		case i == 0:
		case r.Kind == exec.ClaimRecord && r.Attempt == before.Attempt && r.Owner.ID == before.Owner.ID && r.State.Epoch == before.State.Epoch && !slices.Equal(r.State.Markers, before.State.Markers):
			// the owner's own, which keeps the markers that it has written
		case r.Kind == exec.ClaimRecord && (r.Attempt != before.Attempt+1 || r.State.Epoch != before.State.Epoch):
			t.Errorf("claim %d does not follow %d: %+v", r.Attempt, before.Attempt, r)
		case r.Kind == exec.CertificateRecord && (r.Attempt != before.Attempt || r.Owner.ID != before.Owner.ID || r.State.Epoch != before.State.Epoch+1):
			t.Errorf("certificate %d does not follow %d: %+v", r.State.Epoch, before.State.Epoch, r)
		}
		before = r
	}
}

func TestFullDestinationIsRetried(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	out := w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, MaxMsgs: 5, Discard: jetstream.DiscardNew})
	w.publishIDs(1, 10)
	r := w.start(plainFlow)
	eventually(t, "it is retried", func() bool { return r.count(exec.Retrying) >= 2 })
	if c := w.consumer("ORDERS"); c.AckFloor.Stream != 0 {
		t.Errorf("acknowledged up to %d though the destination refused", c.AckFloor.Stream)
	}
	if err := out.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is certified", func() bool { return r.count(exec.Certified) == 1 })
	if r.count(exec.Recovered) == 0 {
		t.Error("the recovery was not reported")
	}
}

func TestRetriesRunOut(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, MaxMsgs: 5, Discard: jetstream.DiscardNew})
	w.publishIDs(1, 10)
	_, err := w.drain(plainFlow + ` on error retry 2 backoff 1ms..2ms`)
	if err == nil || !strings.Contains(err.Error(), "given up after 3 tries") || !strings.Contains(err.Error(), "10077") {
		t.Errorf("ended with %v", err)
	}
}

func TestConsumerDeletedWhileReading(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 3)
	r := w.start(plainFlow)
	eventually(t, "the first epoch is certified", func() bool { return r.count(exec.Certified) == 1 })
	if err := w.js.DeleteConsumer(t.Context(), "ORDERS", "flow-default-orders"); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(4, 6)
	eventually(t, "what came later is written", func() bool { return len(w.messages("OUT")) == 6 })
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(6)) {
		t.Errorf("OUT holds %v", ids)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.ContainsFunc(r.notices, func(n connectors.Notice) bool { return strings.Contains(n.Text, "consumer was missing") }) {
		t.Errorf("notices are %v", r.notices)
	}
}

func TestSourceStreamMadeAnew(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1}`, `{"id":2}`)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	if err := w.js.DeleteStream(t.Context(), "ORDERS"); err != nil {
		t.Fatal(err)
	}
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publish("orders.a", `{"id":3}`, `{"id":4}`)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(4)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestFlowThatWouldFeedItself(t *testing.T) {
	for _, text := range []string{
		`from nats "orders.>" to nats stream "ORDERS" subject "orders.enriched"`,
		`from nats "orders.>" to nats stream "NEW" subject "orders.v1"`,
		`from nats "orders.*" to nats stream "<resource>" subject "<resource>.<1>"`,
	} {
		w := newWorld(t)
		w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
		w.publishIDs(1, 1)
		_, err := w.drain(text)
		if connectors.ClassOf(err) != connectors.Refused || !strings.Contains(fmt.Sprint(err), "ORDERS") {
			t.Errorf("%s: %v", text, err)
		}
		if n := len(w.messages("ORDERS")); n != 1 {
			t.Errorf("%s: ORDERS holds %d messages", text, n)
		}
		if _, err := w.js.Stream(t.Context(), "FLOW_LEDGER"); err == nil {
			t.Errorf("%s: a ledger was made for a refused flow", text)
		}
	}
}

func TestFirstProgramAsItStands(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "SHOP", Subjects: []string{"orders.created", "orders.paid"}})
	text := `from nats "orders.>" epoch 1000/1s to nats stream "<resource>" subject "<resource>.v1"`
	for run := 1; run <= 2; run++ { // the second time the destination matches the source's filter too
		w.publish("orders.created", fmt.Sprintf(`{"id":%d}`, 2*run-1))
		w.publish("orders.paid", fmt.Sprintf(`{"id":%d}`, 2*run))
		totals, err := w.drain(text)
		if err != nil || totals.Read != 2 {
			t.Fatalf("run %d read %d: %v", run, totals.Read, err)
		}
	}
	if ids := w.ids("orders"); !slices.Equal(ids, upTo(4)) {
		t.Errorf("the stream orders holds %v", ids)
	}
}

func TestEpochBoundary(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 10)
	boundary := connectors.Bounds{MaxRecords: 4, MaxWait: 100 * time.Millisecond}
	failures := 0
	totals, err := exec.Run(t.Context(), w.plan(plainFlow), exec.Options{UntilCaughtUp: true, EpochBoundary: &boundary, OnEvent: func(e exec.Event) {
		if e.Kind == exec.Retrying {
			failures++
		}
	}})
	if err != nil || totals.Epochs != 3 || failures != 0 {
		t.Errorf("%d epochs, %d failures: %v", totals.Epochs, failures, err)
	}
	if _, err := exec.Run(t.Context(), w.plan(plainFlow), exec.Options{EpochBoundary: &connectors.Bounds{MaxRecords: 4}}); err == nil {
		t.Error("a boundary without MaxWait was taken")
	}
}

func TestIdleOwnerGivesWay(t *testing.T) {
	w := newWorld(t)
	w.plain()
	first := w.start(plainFlow)
	eventually(t, "the first owner is admitted", func() bool { return first.count(exec.Admitted) > 0 })
	w.startAs(plainFlow, exec.Options{Replace: true})
	eventually(t, "the first owner notices", first.ended)
	if !errors.Is(first.err, connectors.ErrSuperseded) {
		t.Errorf("the first owner ended with %v", first.err)
	}
}

func TestLostLedgerIsNoFirstRun(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 3)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	if err := w.js.DeleteStream(t.Context(), "FLOW_LEDGER"); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first refusal leaves a claim, which makes nothing better
		if _, err := w.drain(plainFlow); connectors.ClassOf(err) != connectors.Environment || !strings.Contains(err.Error(), "ledger has lost") {
			t.Errorf("ended with %v", err)
		}
	}
	if n := len(w.messages("OUT")); n != 3 {
		t.Errorf("OUT holds %d messages", n)
	}
}

// Where a setting of a sink cannot be read the error says which sink's it is.
func TestSettingThatTheEnvironmentLacks(t *testing.T) {
	w := newWorld(t)
	w.plain()
	for _, guarantee := range []string{"", " exactly once"} {
		_, err := w.drain(`from nats "orders.>" epoch 1000/200ms
			to nats stream "V1" subject "v1.orders"` + guarantee + ` when id == 1
			to nats stream "V2" subject "v2.orders"` + guarantee + ` headers env "FLOW_TEST_NOWHERE" otherwise`)
		e, ok := errors.AsType[*connectors.Error](err)
		if !ok || e.Role != connectors.SinkRole || e.Spec != 1 || e.Key != "headers" || !strings.Contains(e.Error(), "FLOW_TEST_NOWHERE") {
			t.Errorf("ended with %+v", err)
		}
	}
}

func TestLedgerIsNoDestination(t *testing.T) {
	w := newWorld(t)
	w.plain()
	file, _ := lang.Parse(&lang.Source{Name: "orders.flow", Text: `from nats "orders.>" to nats stream "FLOW_LEDGER" subject "flow.ledger.default.x.epoch"`})
	if _, found := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{nats.Kind()}}); !found.HasErrors() {
		t.Error("the ledger was taken for a destination")
	}
}
