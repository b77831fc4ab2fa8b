package nats

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
)

// What is certified and comes again, since its acknowledgement was lost, is
// acknowledged and not read again.
func TestRedeliveriesOfWhatIsCertified(t *testing.T) {
	c, _, js := someOrders(t, 5)
	s := ordersFrom(t, c, connectors.Settings{"ack_wait": time.Second})
	d := read(t, s, records(5)).(*delivery)
	d.reader.settle(d) // as Ack does, and then nothing goes out
	if d, err := s.Read(t.Context(), connectors.Bounds{MaxRecords: 1000, MaxWait: 10 * time.Millisecond}, nil); err != nil || len(d.Messages()) != 0 {
		t.Fatalf("expected an empty epoch, found %v, %v", d, err)
	}
	eventually(t, "five redeliveries that were acknowledged", func() bool {
		return s.Stats().Redelivered == 5 && consumerInfo(t, js, "ORDERS").NumAckPending == 0
	})
	fill(t, js, 1, "orders.x")
	expectSequences(t, read(t, s, records(1)), upTo(6, 6))
}

// With an ack wait of one second, nine rounds of heartbeats are three seconds.
func TestHeartbeatsKeepWhatIsInHand(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	const n = 10
	fill(t, js, n, "orders.x")
	inProgress, err := js.Conn().SubscribeSync("$JS.ACK.ORDERS.>")
	if err != nil {
		t.Fatal(err)
	}
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, connectors.Settings{"ack_wait": time.Second})
	d := read(t, s, records(n))
	for range 9 * n {
		if m, err := inProgress.NextMsg(patience); err != nil || !strings.HasPrefix(string(m.Data), "+WPI") {
			t.Fatalf("expected an in-progress acknowledgement, found %v, %v", m, err)
		}
	}
	if info := consumerInfo(t, js, "ORDERS"); info.NumRedelivered != 0 || info.NumAckPending != n || info.Delivered.Consumer != n {
		t.Errorf("expected each message delivered once and kept, found %+v", info)
	}
	ack(t, d)
	if info := consumerInfo(t, js, "ORDERS"); info.NumAckPending != 0 {
		t.Errorf("expected everything acknowledged, found %+v", info)
	}
}

func TestAcknowledgingThroughADeletedConsumerIsNoticed(t *testing.T) {
	c, _, js := someOrders(t, 3)
	d := read(t, ordersFrom(t, c, nil), records(3))
	if err := js.DeleteConsumer(t.Context(), "ORDERS", consumerName(someFlow)); err != nil {
		t.Fatal(err)
	}
	check(t, "deleted", d.Ack(t.Context()), "acknowledging sequences 1 to 3 of stream ORDERS")
}

func TestStatsCountWhatIsPending(t *testing.T) {
	c, _, _ := someOrders(t, 30)
	s := ordersFrom(t, c, nil)
	if got := s.Stats().Pending; got != 30 {
		t.Errorf("expected 30 pending messages, found %d", got)
	}
	ack(t, read(t, s, records(10)))
	if got := s.Stats().Pending; got != 20 {
		t.Errorf("expected 20 pending messages, found %d", got)
	}
}

// Whoever holds a delivery from before a Seek gets no acknowledgement through.
func TestSeekTakesDeliveriesBack(t *testing.T) {
	for _, v := range []struct {
		name string
		end  func(connectors.Delivery) error
	}{
		{"ack", func(d connectors.Delivery) error {
			if err := d.Ack(t.Context()); err == nil {
				return errors.New("it was acknowledged")
			}
			return nil
		}},
		{"release", func(d connectors.Delivery) error { d.Release(t.Context()); return nil }},
	} {
		t.Run(v.name, func(t *testing.T) {
			c, _, js := someOrders(t, 20)
			s := ordersFrom(t, c, nil)
			old := read(t, s, records(10))
			seek(t, s)
			if err := v.end(old); err != nil {
				t.Fatal(err)
			}
			expectSequences(t, read(t, s, records(20)), upTo(1, 20))
			if info := consumerInfo(t, js, "ORDERS"); info.AckFloor.Stream != 0 || info.NumRedelivered != 0 {
				t.Errorf("expected the server to hear nothing of the old delivery, found %+v", info)
			}
		})
	}
}

// Close has a context like all calls, and a context needs no deadline.
func TestCloseNeedsNoDeadline(t *testing.T) {
	c, _, _ := someOrders(t, 0)
	if err := ordersFrom(t, c, nil).Close(t.Context()); err != nil {
		t.Error(err)
	}
}
