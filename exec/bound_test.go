package exec_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

const boundFlow = `from nats stream "ORDERS" consumer "C" epoch 1000/100ms to nats stream "OUT" subject "out.v1"`

func bindable() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{Durable: "C", AckPolicy: jetstream.AckExplicitPolicy, MaxDeliver: -1, AckWait: 5 * time.Second, MaxAckPending: 1}
}

func TestBoundConsumer(t *testing.T) {
	w := newWorld(t)
	w.plain()
	if _, err := w.js.CreateConsumer(t.Context(), "ORDERS", bindable()); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(1, 3)
	totals, err := w.drain(boundFlow)
	if err != nil || totals.Epochs != 3 {
		t.Fatalf("%d epochs: %v", totals.Epochs, err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(3)) {
		t.Errorf("OUT holds %v", ids)
	}
	stream, err := w.js.Stream(t.Context(), "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	w.publishIDs(4, 6)
	if err := stream.DeleteMsg(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	_, err = w.drain(boundFlow)
	if err == nil || !strings.Contains(err.Error(), "after sequence 4 came 6") {
		t.Errorf("a gap ended with %v", err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(4)) {
		t.Errorf("OUT holds %v", ids)
	}
}

func TestUnfitBoundConsumer(t *testing.T) {
	for setting, change := range map[string]func(*jetstream.ConsumerConfig){
		"MaxDeliver=2":     func(c *jetstream.ConsumerConfig) { c.MaxDeliver = 2 },
		"MaxAckPending=10": func(c *jetstream.ConsumerConfig) { c.MaxAckPending = 10 },
		"AckPolicy":        func(c *jetstream.ConsumerConfig) { c.AckPolicy = jetstream.AckAllPolicy },
		"DeliverPolicy":    func(c *jetstream.ConsumerConfig) { c.DeliverPolicy = jetstream.DeliverNewPolicy },
		"FilterSubject":    func(c *jetstream.ConsumerConfig) { c.FilterSubject = "orders.a" },
		"AckWait=500ms":    func(c *jetstream.ConsumerConfig) { c.AckWait = 500 * time.Millisecond },
	} {
		w := newWorld(t)
		w.plain()
		config := bindable()
		change(&config)
		if _, err := w.js.CreateConsumer(t.Context(), "ORDERS", config); err != nil {
			t.Fatal(err)
		}
		if _, err := w.drain(boundFlow); err == nil || !strings.Contains(err.Error(), setting) {
			t.Errorf("%s: ended with %v", setting, err)
		}
	}
}

func TestBoundConsumerThatIsAhead(t *testing.T) {
	w := newWorld(t)
	w.plain()
	consumer, err := w.js.CreateConsumer(t.Context(), "ORDERS", bindable())
	if err != nil {
		t.Fatal(err)
	}
	w.publishIDs(1, 2)
	m, err := consumer.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(boundFlow); err == nil || !strings.Contains(err.Error(), "acknowledged up to sequence 1") {
		t.Errorf("a consumer that another has read through ended with %v", err)
	}
}

// Another run takes the consumer over between a run's look at the ledger and at the
// consumer. The ledger says why they do not go together.
func TestABoundConsumerThatAnotherOwnerReadsMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.plain()
	if _, err := w.js.CreateConsumer(t.Context(), "ORDERS", bindable()); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(1, 3)
	var claimed, taken atomic.Bool
	_, err := w.drainWith(boundFlow, faultyLedger{
		append: func(ctx context.Context, l connectors.Ledger, chain string, previous uint64, data []byte) (uint64, error) {
			claimed.Store(claimed.Load() || chain == "epoch")
			return l.Append(ctx, chain, previous, data)
		},
		last: func(_ connectors.Ledger, chain string) {
			if chain == "epoch" && claimed.Load() && taken.CompareAndSwap(false, true) {
				if _, err := w.drain(boundFlow); err != nil {
					t.Error(err)
				}
			}
		}})
	if !errors.Is(err, connectors.ErrSuperseded) {
		t.Errorf("ended with %v", err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(3)) {
		t.Errorf("OUT holds %v", ids)
	}
}
