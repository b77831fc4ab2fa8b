package exec_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// faultyLedger is the ledger on the server, with faults put between it and the run.
type faultyLedger struct {
	connectors.Ledger
	at     func() error
	append func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error)
	last   func(l connectors.Ledger, chain string)
}

func (l *faultyLedger) At(ctx context.Context, chain string, version uint64) (connectors.Entry, error) {
	if l.at != nil {
		if err := l.at(); err != nil {
			return connectors.Entry{}, err
		}
	}
	return l.Ledger.At(ctx, chain, version)
}

func (l *faultyLedger) Last(ctx context.Context, chain string) (connectors.Entry, error) {
	entry, err := l.Ledger.Last(ctx, chain)
	if l.last != nil {
		l.last(l.Ledger, chain)
	}
	return entry, err
}

func (l *faultyLedger) Append(ctx context.Context, chain string, previous uint64, data []byte) (uint64, error) {
	if l.append != nil {
		return l.append(ctx, l.Ledger, chain, previous, data)
	}
	return l.Ledger.Append(ctx, chain, previous, data)
}

// beforeCertificate calls before ahead of each certificate, with its number in the run;
// an error takes the certificate's place.
func beforeCertificate(before func(number int) error) faultyLedger {
	number := 0
	return faultyLedger{append: func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error) {
		if chain == "epoch" && strings.Contains(string(data), `"kind":"certificate"`) {
			number++
			if err := before(number); err != nil {
				return 0, err
			}
		}
		return l.Append(ctx, chain, previous, data)
	}}
}

// drainWith is drain over a faulty ledger.
func (w *world) drainWith(text string, faults faultyLedger) (exec.Totals, error) {
	w.t.Helper()
	return w.drainOver(text, exec.Options{}, faults)
}

// drainOver is drainWith with options.
func (w *world) drainOver(text string, options exec.Options, faults faultyLedger) (exec.Totals, error) {
	w.t.Helper()
	conn := w.connect()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	options.UntilCaughtUp = true
	options.Ledger = func(ctx context.Context, flow connectors.Identity) (connectors.Ledger, error) {
		ledger, err := conn.OpenLedger(ctx, flow)
		faults.Ledger = ledger
		return &faults, err
	}
	return exec.Run(ctx, w.plan(text), options)
}

func TestSchemaThatCannotBeReadOnceIsNotForgotten(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1,"note":"x"}`)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	w.publish("orders.a", `{"id":"two"}`)
	var reads atomic.Int32
	_, err := w.drainWith(plainFlow, faultyLedger{at: func() error {
		if reads.Add(1) == 1 {
			return connectors.Errorf(connectors.Transient, "a time-out")
		}
		return nil
	}})
	if err == nil || !strings.Contains(err.Error(), "field id") {
		t.Errorf("another type than the certified one ended with %v", err)
	}
}

func TestCertificateThatIsWrittenLate(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 5)
	var appends atomic.Int32
	var late func()
	totals, err := w.drainWith(plainFlow, faultyLedger{append: func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error) {
		if chain == "epoch" && appends.Add(1) == 2 { // the first certificate: no quorum for longer than the time-out
			late = func() {
				if _, err := l.Append(context.Background(), chain, previous, data); err != nil {
					t.Error(err)
				}
			}
			return 0, connectors.Errorf(connectors.Transient, "no answer from the ledger")
		}
		if chain == "epoch" && late != nil {
			late()
			late = nil
		}
		return l.Append(ctx, chain, previous, data)
	}})
	if err != nil {
		t.Errorf("the flow superseded itself: %v", err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(5)) {
		t.Errorf("OUT holds %v", ids)
	}
	if totals.Epochs != 1 || totals.Read != 5 || totals.Written != 5 {
		t.Errorf("the totals are %+v", totals)
	}
	checkChain(t, w.records())
}

// The consumer goes away between the certificate and the acknowledgement.
func TestACertifiedEpochIsToldThoughItsAcknowledgementFails(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 5)
	var once atomic.Bool
	run := &running{}
	totals, err := w.drainOver(plainFlow, exec.Options{OnEvent: run.event}, faultyLedger{append: func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error) {
		version, err := l.Append(ctx, chain, previous, data)
		if strings.Contains(string(data), `"kind":"certificate"`) && once.CompareAndSwap(false, true) {
			if err := w.js.DeleteConsumer(ctx, "ORDERS", "flow-default-orders"); err != nil {
				t.Error(err)
			}
		}
		return version, err
	}})
	if err != nil || totals.Epochs != 1 || totals.Read != 5 || totals.Duplicates != 0 {
		t.Errorf("the totals are %+v: %v", totals, err)
	}
	if told, retried := run.first(exec.Certified), run.first(exec.Retrying); told.Done == nil || retried.Phase != exec.Acknowledging || retried.Done != nil || run.count(exec.Certified) != 1 {
		t.Errorf("told %+v and %+v", told, retried)
	}
}

func TestSchemaOfAFormerOwnerIsNoClaim(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 5)
	var once atomic.Bool
	_, err := w.drainWith(plainFlow, faultyLedger{last: func(l connectors.Ledger, chain string) {
		if strings.HasPrefix(chain, "schema.") && once.CompareAndSwap(false, true) {
			if _, err := l.Append(context.Background(), chain, 0, []byte(`{"shape":"raw"}`)); err != nil {
				t.Error(err)
			}
		}
	}})
	if err != nil {
		t.Errorf("ended with %v", err)
	}
}

func TestStoredMessageThatLooksLikeAStatus(t *testing.T) {
	for _, last := range []bool{false, true} {
		w := newWorld(t)
		w.plain()
		w.publishIDs(1, 2)
		m := natsgo.NewMsg("orders.a")
		m.Header.Set("Status", "100")
		if _, err := w.js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		if !last {
			w.publishIDs(4, 5)
		}
		totals, err := w.drain(plainFlow + ` on error skip`)
		if err != nil || totals.Bad != 1 {
			t.Errorf("last %v: %d were bad: %v", last, totals.Bad, err)
		}
		if c := w.consumer("ORDERS"); c.NumAckPending != 0 {
			t.Errorf("last %v: %d messages are left", last, c.NumAckPending)
		}
	}
}

func TestCaughtUpWaitsForWhatAnotherReaderHolds(t *testing.T) {
	w := newWorld(t)
	w.plain()
	config := bindable()
	config.AckWait = time.Second
	consumer, err := w.js.CreateConsumer(t.Context(), "ORDERS", config)
	if err != nil {
		t.Fatal(err)
	}
	w.publishIDs(1, 2)
	if _, err := consumer.Next(); err != nil { // and never acknowledged
		t.Fatal(err)
	}
	if totals, err := w.drain(boundFlow); err != nil || totals.Read != 2 {
		t.Errorf("read %d: %v", totals.Read, err)
	}
}

func TestCertifiedMessagesLeaveAWorkQueue(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}, Retention: jetstream.WorkQueuePolicy})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	w.publishIDs(1, 10)
	ctx, cancel := context.WithCancelCause(t.Context())
	// The certificate is written, and its answer comes with the end of the run.
	flow := w.plan(plainFlow)
	conn := w.connect()
	var appends atomic.Int32
	_, err := exec.Run(ctx, flow, exec.Options{UntilCaughtUp: true, Ledger: func(ctx context.Context, id connectors.Identity) (connectors.Ledger, error) {
		ledger, err := conn.OpenLedger(ctx, id)
		return &faultyLedger{Ledger: ledger, append: func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error) {
			version, err := l.Append(ctx, chain, previous, data)
			if chain == "epoch" && appends.Add(1) == 2 {
				cancel(fmt.Errorf("killed"))
			}
			return version, err
		}}, err
	}})
	if err == nil {
		t.Fatal("the run was not cut")
	}
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the certified messages leave the queue", func() bool { return len(w.messages("ORDERS")) == 0 })
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(10)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestConsumerThatSendsHeadersOnly(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 1)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	config := w.consumer("ORDERS").Config
	config.HeadersOnly = true
	if _, err := w.js.UpdateConsumer(t.Context(), "ORDERS", config); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(2, 3)
	if _, err := w.drain(plainFlow); err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(3)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestSubjectThatNoServerTakes(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", fmt.Sprintf(`{"id":1,"k":%q}`, strings.Repeat("x", 5000)), `{"id":2,"k":"b"}`)
	totals, err := w.drain(`from nats "orders.>" epoch 1000/200ms select { id, k } to nats stream "OUT" subject "out.<k>" on error skip`)
	if err != nil || totals.Bad != 1 || totals.Written != 1 {
		t.Errorf("totals are %+v: %v", totals, err)
	}
}

func TestRowThatOneSinkRefusesGoesToNone(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "BIG", Subjects: []string{"big.>"}})
	w.stream(jetstream.StreamConfig{Name: "SMALL", Subjects: []string{"small.>"}, MaxMsgSize: 1000})
	w.publish("orders.a", `{"id":1,"b":""}`, fmt.Sprintf(`{"id":2,"b":%q}`, strings.Repeat("x", 1000)), `{"id":3}`)
	totals, err := w.drain(`from nats "orders.>" epoch 1000/200ms to nats stream "BIG" subject "big.x" to nats stream "SMALL" subject "small.x" on error skip`)
	if err != nil || totals.Bad != 1 {
		t.Errorf("%d were bad: %v", totals.Bad, err)
	}
	for _, stream := range []string{"BIG", "SMALL"} {
		if ids := w.ids(stream); !slices.Equal(ids, []int{1, 3}) {
			t.Errorf("%s holds %v", stream, ids)
		}
	}
}

func TestConsumerThatLimitsPulls(t *testing.T) {
	for name, change := range map[string]func(*jetstream.ConsumerConfig){
		"expires": func(c *jetstream.ConsumerConfig) { c.MaxRequestExpires = 5 * time.Second },
		"batch":   func(c *jetstream.ConsumerConfig) { c.MaxRequestBatch = 1 },
		"bytes":   func(c *jetstream.ConsumerConfig) { c.MaxRequestMaxBytes = 1000 },
	} {
		w := newWorld(t)
		w.plain()
		config := bindable()
		change(&config)
		if _, err := w.js.CreateConsumer(t.Context(), "ORDERS", config); err != nil {
			t.Fatal(err)
		}
		w.publishIDs(1, 2)
		if totals, err := w.drain(boundFlow); err != nil || totals.Read != 2 {
			t.Errorf("%s: read %d: %v", name, totals.Read, err)
		}
	}
}
