package nats

import (
	"errors"
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// headerSize must be what really goes over the wire, since limits are judged by it.
func TestHeaderSizeIsWhatTheClientSends(t *testing.T) {
	nc := client(t, startEmbedded(t)).Conn()
	sub, err := nc.SubscribeSync("x")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []natsgo.Header{
		{"A": {"b"}},
		{"Content-Type": {"application/json"}, "Flow-Operation": {"insert"}, "Nats-Msg-Id": {"f1.N5J7Q2V4PDNYUN2V6YODTZKTXE"}},
		{"X": {"", "two", "größe"}, "traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}},
	} {
		message := &natsgo.Msg{Subject: "x", Header: h, Data: []byte("12345")}
		before := nc.Stats().OutBytes
		if err := nc.PublishMsg(message); err != nil {
			t.Fatal(err)
		}
		if sent, want := nc.Stats().OutBytes-before, uint64(headerSize(h)+len(message.Data)); sent != want {
			t.Errorf("%v: measured %d bytes with the content, and %d were sent", h, want, sent)
		}
		if _, err := sub.NextMsg(patience); err != nil {
			t.Fatal(err)
		}
	}
}

// A message of exactly the limit goes through, and one byte more is refused
// before anything is sent: so the measure is the server's own.
func TestSizeLimitsToTheByte(t *testing.T) {
	url := startServer(t, func(o *server.Options) { o.MaxPayload = 4096 })
	c, _ := link(t, url, nil)
	js := client(t, url)
	limited := streamOn("SMALL", "small.>")
	limited.MaxMsgSize = 600
	streams := map[string]jetstream.Stream{"SMALL": makeStream(t, js, limited), "LARGE": makeStream(t, js, streamOn("LARGE", "large.>"))}
	for _, v := range []struct {
		stream, limit string
		first         uint64 // sequence of the rows, so that none is a duplicate
		most          int64  // of max_in_flight
		err           string
	}{
		{"SMALL", "600", 101, 16 << 20, "stream SMALL takes at most 600"},
		{"LARGE", "4096", 201, 16 << 20, "the server takes at most 4096"},
		{"LARGE", "1000", 301, 1000, "`max_in_flight` lets at most 1000 be outstanding"},
	} {
		t.Run(v.limit, func(t *testing.T) {
			subject := strings.ToLower(v.stream) + ".x"
			s := openSink(t, c, ordersTo(v.stream, subject, connectors.Settings{"envelope": "headers", "max_in_flight": connectors.Limits{Messages: 10, Bytes: v.most}}))
			begin(t, s, 1)
			length := longest(t, s, v.first)
			row := func(n int) string { return fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", n)) }
			err := prepareAndApply(t.Context(), s, batchOf(t, v.first, row(0), row(length+1), row(1)))
			bad, ok := errors.AsType[connectors.RowErrors](err)
			if !ok || len(bad) != 1 || bad[0].Row != 1 {
				t.Fatalf("expected an error of row 1, found %v", err)
			}
			check(t, "one byte too many", bad[0].Err, v.err)
			before := state(t, streams[v.stream]).LastSeq
			apply(t, s, batchOf(t, v.first, row(length)))
			if got := state(t, streams[v.stream]).LastSeq; got != before+1 {
				t.Errorf("expected one message, and none of the refused batch; sequences went from %d to %d", before, got)
			}
		})
	}
}

// longest is how many characters the value of {"x":"..."} may have for the sink's
// first resource, found by halving.
func longest(t *testing.T, s *sink, first uint64) int {
	t.Helper()
	fits := func(n int) bool {
		batch := batchOf(t, first, fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", n)))
		return s.Prepare(t.Context(), batch) == nil
	}
	return sort.Search(1<<16, func(n int) bool { return !fits(n) }) - 1
}
