package nats

import (
	"testing"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestStatusOfAPull(t *testing.T) {
	for _, c := range []struct {
		code, text string
		end        pullEnd
		why        string
	}{
		{"100", "Idle Heartbeat", pullGoesOn, ""},
		{"404", "No Messages", pullDone, ""},
		{"408", "Request Timeout", pullDone, ""},
		{"409", "Batch Completed", pullDone, ""},
		{"409", "Message Size Exceeds MaxBytes", pullTooSmall, ""},
		{"409", "Consumer Deleted", pullBroken, "consumer deleted"},
		{"409", "Leadership Change", pullBroken, "leadership change"},
		{"409", "Server Shutdown", pullBroken, "server shutdown"},
		{"503", "", pullBroken, "the consumer does not answer"},
		{"999", "Something New", pullBroken, "something new"},
	} {
		m := &natsgo.Msg{Header: natsgo.Header{"Status": {c.code}, "Description": {c.text}}}
		if end, why := status(m); end != c.end || why != c.why {
			t.Errorf("%s %s: expected %d, %q, found %d, %q", c.code, c.text, c.end, c.why, end, why)
		}
		if !isStatus(m) {
			t.Errorf("%s %s is not taken for a status", c.code, c.text)
		}
	}
	if isStatus(&natsgo.Msg{Data: []byte("x"), Header: natsgo.Header{"Status": {"100"}}}) || isStatus(&natsgo.Msg{}) {
		t.Error("a message is taken for a status")
	}
}

func TestCredit(t *testing.T) {
	for _, c := range []struct{ records, stream, account, want int }{
		{1, 0, 0, 3000},
		{1000, 0, 0, 3000},
		{5000, 0, 0, 15000},
		{5000, 200, 0, 200},
		{5000, 0, 300, 300},
		{5000, 300, 200, 200},
		{1000, -1, -1, 3000},
	} {
		s := &source{conn: &connection{limits: jetstream.AccountLimits{MaxAckPending: c.account}}, epoch: connectors.Bounds{MaxRecords: c.records}}
		if got := s.credit(&found{maxAcks: c.stream}); got != c.want {
			t.Errorf("%+v: found %d", c, got)
		}
	}
}

// An epoch that uses up the credit closes at once.
func TestTheCreditCapsAnEpoch(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	config := streamOn("ORDERS", "orders.>")
	config.ConsumerLimits.MaxAckPending = 40
	makeStream(t, js, config)
	fill(t, js, 100, "orders.x")
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	for _, want := range [][2]uint64{{1, 40}, {41, 80}} {
		d := read(t, s, records(1000))
		expectSequences(t, d, upTo(want[0], want[1]))
		ack(t, d)
	}
}
