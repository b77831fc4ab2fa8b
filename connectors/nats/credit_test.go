package nats

import (
	"slices"
	"testing"

	"github.com/flowlang/flow/internal/natsprocess"
)

// A server's limit on what may be unacknowledged lowers the credit (10121), and what is there is
// read in parts of it.
func TestAServerThatLimitsUnacknowledgedMessages(t *testing.T) {
	url := natsprocess.StartConfigured(t, "jetstream { limits { max_ack_pending: 20 } }\n").URL()
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 50, "orders.x")
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	if limit := consumerInfo(t, js, "ORDERS").Config.MaxAckPending; limit != 20 {
		t.Errorf("expected a credit of 20, found %d", limit)
	}
	var got []uint64
	for len(got) < 50 {
		d := read(t, s, records(1000))
		if n := len(d.Messages()); n == 0 || n > 20 {
			t.Fatalf("expected 1 to 20 messages, found %d", n)
		}
		got = append(got, sequences(d)...)
		ack(t, d)
		if len(got) == 40 { // the rest does not use the credit up
			d = read(t, s, records(10))
			got = append(got, sequences(d)...)
			ack(t, d)
		}
	}
	if !slices.Equal(got, upTo(1, 50)) {
		t.Errorf("found %v", got)
	}
}
