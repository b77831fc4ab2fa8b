package nats

import (
	"errors"
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
	"github.com/nats-io/nats.go/jetstream"
)

// leave reads what the streams hold for a flow, and writes a ledger of it.
func leave(t *testing.T, c *connection, flow connectors.Identity, subject string) {
	t.Helper()
	s, err := c.OpenSource(t.Context(), flow, sourcesOf(nil, subject), connectors.SourceOptions{Epoch: records(1000)})
	if err != nil {
		t.Fatal(err)
	}
	seek(t, s.(*source))
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := openLedger(t, c, flow)
	first := connectortest.Append(t, l, "epoch", 0, "claim")
	connectortest.Append(t, l, "epoch", first, "certificate")
	connectortest.Append(t, l, "schema.orders", 0, "{}")
}

func remainsOf(t *testing.T, c *connection, flow connectors.Identity) connectors.Remains {
	t.Helper()
	remains, err := c.Remains(t.Context(), flow)
	if err != nil {
		t.Fatal(err)
	}
	return remains
}

func TestRemains(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	makeStream(t, js, streamOn("MORE", "more.>"))
	fill(t, js, 3, "orders.a")
	c, _ := link(t, url, nil)
	if remains := remainsOf(t, c, someFlow); !remains.Empty() {
		t.Errorf("expected nothing, found %+v", remains)
	}
	if l, err := c.FindLedger(t.Context(), someFlow); l != nil || err != nil {
		t.Errorf("expected no ledger, found %v, %v", l, err)
	}
	others := connectors.Identity{Namespace: "default", Flow: "orders2"}
	elsewhere := connectors.Identity{Namespace: "default2", Flow: "orders"}
	for _, flow := range []connectors.Identity{someFlow, others, elsewhere} {
		leave(t, c, flow, "*.>")
	}
	if _, err := js.CreateConsumer(t.Context(), "ORDERS", jetstream.ConsumerConfig{Durable: "flow-default-orders-of-mine"}); err != nil {
		t.Fatal(err)
	}
	want := connectors.Remains{
		Readers: []connectors.Reader{{Stream: "MORE", Name: "flow-default-orders"}, {Stream: "ORDERS", Name: "flow-default-orders", Unread: 3}},
		Chains:  []connectors.Chain{{Name: "epoch", Entries: 2}, {Name: "schema.orders", Entries: 1}},
	}
	remains := remainsOf(t, c, someFlow)
	if !slices.Equal(remains.Readers, want.Readers) || !slices.Equal(remains.Chains, want.Chains) {
		t.Errorf("expected %+v, found %+v", want, remains)
	}
	for range 2 { // what is gone is no error
		if err := c.Remove(t.Context(), someFlow, remains); err != nil {
			t.Fatal(err)
		}
	}
	if remains := remainsOf(t, c, someFlow); !remains.Empty() {
		t.Errorf("expected nothing, found %+v", remains)
	}
	for _, flow := range []connectors.Identity{others, elsewhere} {
		if remains := remainsOf(t, c, flow); len(remains.Readers) != 2 || !slices.Equal(remains.Chains, want.Chains) {
			t.Errorf("%s: expected what it left, found %+v", flow, remains)
		}
	}
	if _, err := js.Consumer(t.Context(), "ORDERS", "flow-default-orders-of-mine"); err != nil {
		t.Errorf("the user's consumer: %v", err)
	}
	if bodies := storedBodies(t, js, "ORDERS"); len(bodies) != 3 {
		t.Errorf("expected 3 messages, found %d", len(bodies))
	}
}

// The only consumer of an interest stream takes the stream's messages with it.
func TestRemoveKeepsMessagesOfInterestStreams(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	config := streamOn("ORDERS", "orders.>")
	config.Retention = jetstream.InterestPolicy
	stream := makeStream(t, js, config)
	c, _ := link(t, url, nil)
	leave(t, c, someFlow, "orders.>")
	fill(t, js, 3, "orders.a")
	eventually(t, "the consumer has counted them", func() bool { return consumerInfo(t, js, "ORDERS").NumPending == 3 })
	remains := remainsOf(t, c, someFlow)
	if len(remains.Readers) != 1 || remains.Readers[0].Kept == "" {
		t.Fatalf("expected that the consumer is kept, found %+v", remains)
	}
	if err := c.Remove(t.Context(), someFlow, remains); err != nil {
		t.Fatal(err)
	}
	if got := state(t, stream).Msgs; got != 3 {
		t.Errorf("expected 3 messages, found %d", got)
	}
	if err := stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(t.Context(), someFlow, remainsOf(t, c, someFlow)); err != nil {
		t.Fatal(err)
	}
	if remains := remainsOf(t, c, someFlow); !remains.Empty() {
		t.Errorf("expected nothing, found %+v", remains)
	}
}

func TestRemoveKeepsMessagesOfWorkQueues(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	config := streamOn("ORDERS", "orders.>")
	config.Retention = jetstream.WorkQueuePolicy
	stream := makeStream(t, js, config)
	c, _ := link(t, url, nil)
	leave(t, c, someFlow, "orders.>")
	fill(t, js, 3, "orders.a")
	if err := c.Remove(t.Context(), someFlow, remainsOf(t, c, someFlow)); err != nil {
		t.Fatal(err)
	}
	if remains := remainsOf(t, c, someFlow); !remains.Empty() || state(t, stream).Msgs != 3 {
		t.Errorf("expected nothing but 3 messages, found %+v and %d", remains, state(t, stream).Msgs)
	}
}

func TestAnEntryThatIsGone(t *testing.T) {
	c, _ := link(t, startEmbedded(t), nil)
	l := openLedger(t, c, someFlow)
	connectortest.Append(t, l, "epoch", 0, "claim")
	if _, err := l.At(t.Context(), "epoch", 99); !errors.Is(err, connectors.ErrNoEntry) {
		t.Errorf("expected %v, found %v", connectors.ErrNoEntry, err)
	}
	if _, err := l.At(t.Context(), "spec", 1); err == nil || errors.Is(err, connectors.ErrNoEntry) {
		t.Errorf("expected that an entry of another chain is told, found %v", err)
	}
}
