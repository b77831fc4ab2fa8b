package exec_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// certificateLost fails the first certificate for good, as a crash between the
// destination's acknowledgement and the certificate does.
func certificateLost() faultyLedger {
	return beforeCertificate(func(int) error { return connectors.Errorf(connectors.Environment, "the process is gone") })
}

// TestReplayWithinTheDuplicateWindow cuts the epochs of the second run elsewhere:
// the message ids are the same, so nothing is stored twice, and it is counted.
func TestReplayWithinTheDuplicateWindow(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 100)
	if _, err := w.drainWith(plainFlow, certificateLost()); err == nil {
		t.Fatal("a run without a certificate ended well")
	}
	if n := len(w.messages("OUT")); n != 100 {
		t.Fatalf("expected 100 messages that are not certified, found %d", n)
	}
	totals, err := w.drain(strings.Replace(plainFlow, "1000/200ms", "7/200ms", 1))
	if err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(100)) {
		t.Errorf("OUT holds %v", ids)
	}
	if totals.Duplicates != 100 || totals.Written != 100 || totals.Epochs != 15 {
		t.Errorf("expected 100 of 100 written messages to be duplicates in 15 epochs, found %+v", totals)
	}
}

// TestReplayAfterTheDuplicateWindow may store twice: that is what at least once says.
func TestReplayAfterTheDuplicateWindow(t *testing.T) {
	const window = 100 * time.Millisecond
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, Duplicates: window})
	w.publishIDs(1, 10)
	if _, err := w.drainWith(plainFlow, certificateLost()); err == nil {
		t.Fatal("a run without a certificate ended well")
	}
	stored := w.messages("OUT")
	last := stored[len(stored)-1]
	eventually(t, "the window is over", func() bool {
		ack, err := w.js.Publish(t.Context(), "out.probe", nil, jetstream.WithMsgID("probe"))
		return err == nil && !ack.Duplicate && time.Since(last.Time) > 2*window
	})
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, m := range w.messages("OUT") {
		if m.Subject == "out.v1" {
			seen[m.Header.Get(jetstream.MsgIDHeader)]++
		}
	}
	for id, n := range seen {
		if n != 2 {
			t.Errorf("expected the message id %s twice, found it %d times", id, n)
		}
	}
	if len(seen) != 10 {
		t.Errorf("expected 10 message ids, found %d", len(seen))
	}
}

// TestFilteredMessagesAreAcknowledged has more messages that go nowhere than the
// consumer may leave unacknowledged.
func TestFilteredMessagesAreAcknowledged(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}, ConsumerLimits: jetstream.StreamConsumerLimits{MaxAckPending: 100}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	for range 350 {
		w.publish("orders.a", `{"amount":-1}`)
	}
	w.publish("orders.a", `{"amount":5}`)
	totals, err := w.drain(`from nats "orders.>" ack_wait 1s epoch 1000/200ms where amount > 0 to nats stream "OUT" subject "out.v1"`)
	if err != nil {
		t.Fatal(err)
	}
	if totals.Read != 351 || totals.Dropped != 350 || totals.Written != 1 || totals.Redelivered != 0 {
		t.Errorf("expected 351 read, 350 dropped, 1 written, 0 redelivered, found %+v", totals)
	}
	if c := w.consumer("ORDERS"); c.AckFloor.Stream != 351 || c.NumAckPending != 0 || c.Delivered.Consumer != 351 {
		t.Errorf("the consumer is at %+v", c)
	}
	withoutRows := 0
	for _, r := range w.records() {
		if r.Epoch != nil && len(r.Epoch.Receipts) == 0 {
			withoutRows++
		}
	}
	if withoutRows != 3 {
		t.Errorf("expected three certificates of epochs without a row, found %d", withoutRows)
	}
}

// TestFailuresAreNoLimitOfDeliveries refuses more often than consumers of others
// would deliver.
func TestFailuresAreNoLimitOfDeliveries(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	config := jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, MaxMsgs: 1, Discard: jetstream.DiscardNew}
	w.stream(config)
	w.publishIDs(1, 3)
	r := w.start(plainFlow + ` on error retry 1000 backoff 1ms..5ms`)
	eventually(t, "ten epochs are refused", func() bool { return r.count(exec.Retrying) >= 10 })
	config.MaxMsgs = -1
	if _, err := w.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is certified", func() bool { return r.count(exec.Certified) == 1 })
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(3)) {
		t.Errorf("OUT holds %v", ids)
	}
	if c := w.consumer("ORDERS"); c.Config.MaxDeliver != -1 || c.AckFloor.Stream != 3 {
		t.Errorf("the consumer is %+v", c)
	}
}

// TestDestinationDeletedUnderTheFlow takes the destination away between two epochs:
// a flow that does not make it ends, and acknowledges nothing that is not written.
func TestDestinationDeletedUnderTheFlow(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 5)
	text := plainFlow + ` create_stream false on error retry 20 backoff 1ms..20ms`
	r := w.start(text)
	eventually(t, "the first epoch is certified", func() bool { return r.count(exec.Certified) == 1 })
	if err := w.js.DeleteStream(t.Context(), "OUT"); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(6, 10)
	eventually(t, "it ends", r.ended)
	if class := connectors.ClassOf(r.err); class != connectors.Environment || !strings.Contains(r.err.Error(), "the destination stream OUT is missing") {
		t.Errorf("it ended with %v", r.err)
	}
	if c := w.consumer("ORDERS"); c.AckFloor.Stream != 5 {
		t.Errorf("expected 5 acknowledged, found %d", c.AckFloor.Stream)
	}
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	w.refusesToStart(text, "OUT was deleted and made again")
	if _, err := exec.AcceptDestinations(t.Context(), w.ledger()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(text); err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, []int{6, 7, 8, 9, 10}) {
		t.Errorf("OUT holds %v", ids)
	}
}

// TestPurgeBeforeTheAcknowledgement empties the source while an epoch is certified:
// nothing waits for what is gone, and what comes later is read.
func TestPurgeBeforeTheAcknowledgement(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>", "stock.>"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	w.publishIDs(1, 1)
	w.publish("stock.a", `{"x":1}`, `{"x":2}`)
	w.publishIDs(2, 4)
	source, err := w.js.Stream(t.Context(), "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	if err := source.DeleteMsg(t.Context(), 5); err != nil { // id 3
		t.Fatal(err)
	}
	totals, err := w.drainWith(plainFlow, beforeCertificate(func(number int) error {
		if number > 1 {
			return nil
		}
		return source.Purge(t.Context())
	}))
	if err != nil || totals.Read != 3 {
		t.Fatalf("expected three messages to be read, found %+v, %v", totals, err)
	}
	w.publishIDs(5, 5)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, []int{1, 2, 4, 5}) {
		t.Errorf("OUT holds %v", ids)
	}
}
