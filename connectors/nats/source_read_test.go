package nats

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

func TestReadInOrderInEpochs(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	const all = 1050
	fill(t, js, all, "orders.created", "orders.paid", "orders.eu.shipped")
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	next := uint64(1)
	for _, size := range []uint64{1, 100, 449, 500} {
		d := read(t, s, records(int(size)))
		expectSequences(t, d, upTo(next, next+size-1))
		if want := []connectors.Range{{Stream: "ORDERS", First: next, Last: next + size - 1, Records: int(size)}}; !reflect.DeepEqual(d.Covers(), want) {
			t.Errorf("expected the range %+v, found %+v", want, d.Covers())
		}
		last := d.Messages()[size-1]
		if want := []connectors.Position{{Incarnation: *last.Source, Sequence: last.Sequence, Time: last.Time}}; !reflect.DeepEqual(d.Position(), want) {
			t.Errorf("expected the position %+v, found %+v", want, d.Position())
		}
		ack(t, d)
		next += size
	}
	info := consumerInfo(t, js, "ORDERS")
	if info.NumAckPending != 0 || info.NumPending != 0 || info.AckFloor.Stream != all || info.NumRedelivered != 0 {
		t.Errorf("expected everything acknowledged once, found %+v", info)
	}
}

func TestWhatAMessageCarries(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	stream := makeStream(t, js, streamOn("ORDERS", "orders.>"))
	for _, m := range []*natsgo.Msg{
		{Subject: "orders.created", Data: []byte(`{"a":1}`)},
		{Subject: "orders.paid", Header: natsgo.Header{"X": {"1", "2"}}, Data: []byte("raw")},
		{Subject: "orders.paid"},
		{Subject: "orders.gone", Header: natsgo.Header{"KV-Operation": {"PURGE"}}},
		{Subject: "orders.gone", Header: natsgo.Header{"Nats-Marker-Reason": {"MaxAge"}}},
	} {
		if _, err := js.PublishMsg(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, "orders.created", "orders.paid", "orders.gone")...)
	seek(t, s)
	messages := read(t, s, records(5)).Messages()
	for i, m := range messages {
		stored, err := stream.GetMsg(t.Context(), uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		want := connectors.Message{Resource: []int{0, 1, 1, 2, 2}[i], Subject: stored.Subject, Data: stored.Data, Headers: stored.Header,
			Source: &connectors.Incarnation{Stream: "ORDERS", Created: stream.CachedInfo().Created.UnixNano()}, Sequence: uint64(i + 1), Time: stored.Time.UnixNano()}
		if i >= 3 {
			want.Operation, want.Marker = connectors.Delete, true
		}
		if len(m.Data) == 0 {
			m.Data, want.Data = nil, nil
		}
		if len(m.Headers) == 0 {
			m.Headers, want.Headers = nil, nil
		}
		if !reflect.DeepEqual(m, want) {
			t.Errorf("expected %+v\nfound %+v", want, m)
		}
	}
}

func TestSeveralStreamsOneAnEpoch(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("A", "orders.a"))
	makeStream(t, js, streamOn("B", "orders.b"))
	makeStream(t, js, streamOn("IDLE", "orders.idle"))
	fill(t, js, 20, "orders.a", "orders.b")
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	seen := map[string][]uint64{}
	for range 4 {
		d := read(t, s, records(5))
		for _, m := range d.Messages() {
			if m.Source.Stream != d.Covers()[0].Stream {
				t.Fatalf("a message of stream %s in an epoch of %s", m.Source.Stream, d.Covers()[0].Stream)
			}
			seen[m.Source.Stream] = append(seen[m.Source.Stream], m.Sequence)
		}
		ack(t, d)
	}
	if want := map[string][]uint64{"A": upTo(1, 10), "B": upTo(1, 10)}; !reflect.DeepEqual(seen, want) {
		t.Errorf("expected %v, found %v", want, seen)
	}
}

func TestByteBound(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	for range 20 {
		if _, err := js.Publish(t.Context(), "orders.x", make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	next := uint64(1)
	for next <= 20 {
		d := read(t, s, connectors.Bounds{MaxRecords: 1000, MaxWait: time.Second, MaxBytes: 5000})
		n := uint64(len(d.Messages()))
		if n == 0 || n > 6 {
			t.Fatalf("expected one to six messages of 1000 bytes, found %d", n)
		}
		expectSequences(t, d, upTo(next, next+n-1))
		ack(t, d)
		next += n
	}
}

func TestAMessageBeyondTheByteBoundComesAlone(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	for _, size := range []int{10, 50_000, 10} {
		if _, err := js.Publish(t.Context(), "orders.x", make([]byte, size)); err != nil {
			t.Fatal(err)
		}
	}
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	var all []uint64
	for len(all) < 3 {
		d := read(t, s, connectors.Bounds{MaxRecords: 10, MaxWait: time.Second, MaxBytes: 2000})
		all = append(all, sequences(d)...)
		ack(t, d)
	}
	if !reflect.DeepEqual(all, upTo(1, 3)) {
		t.Errorf("expected the three messages in order, found %v", all)
	}
}

func TestMaxAgeCountsFromTheFirstRecord(t *testing.T) {
	c, _, js := someOrders(t, 0)
	s := ordersFrom(t, c, nil)
	fill(t, js, 3, "orders.x")
	begun := time.Now()
	d := read(t, s, connectors.Bounds{MaxRecords: 1000, MaxWait: patience, MaxAge: 200 * time.Millisecond})
	expectSequences(t, d, upTo(1, 3))
	if took := time.Since(begun); took < 200*time.Millisecond || took > patience/2 {
		t.Errorf("expected the epoch to close at its age of 200ms, took %s", took)
	}
}

func TestAnIdleReadIsEmptyAfterItsBudget(t *testing.T) {
	c, _, _ := someOrders(t, 0)
	d := read(t, ordersFrom(t, c, nil), connectors.Bounds{MaxRecords: 1000, MaxWait: 50 * time.Millisecond})
	if len(d.Messages()) != 0 || d.Covers() != nil || d.Position() != nil {
		t.Errorf("expected nothing, found %v", d.Covers())
	}
	ack(t, d)
	d.Release(t.Context())
}

func TestStopClosesTheEpochAtOnce(t *testing.T) {
	c, _, _ := someOrders(t, 3)
	s := ordersFrom(t, c, nil)
	long := connectors.Bounds{MaxRecords: 1000, MaxWait: time.Hour}
	stop, closed := make(chan struct{}), make(chan error, 1)
	var d connectors.Delivery
	go func() {
		var err error
		d, err = s.Read(t.Context(), long, stop)
		closed <- err
	}()
	eventually(t, "three messages have come in", func() bool { return ready(s) == 3 })
	close(stop)
	if err := soon(t, "the epoch is closed", closed); err != nil {
		t.Fatal(err)
	}
	expectSequences(t, d, upTo(1, 3))
	d, err := s.Read(t.Context(), long, stop)
	if err != nil || len(d.Messages()) != 0 {
		t.Errorf("expected an empty epoch, found %v, %v", d, err)
	}
}

func ready(s *source) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, r := range s.readers {
		n += r.ready()
	}
	return n
}

func TestACancelledReadAcknowledgesNothing(t *testing.T) {
	c, _, js := someOrders(t, 3)
	s := ordersFrom(t, c, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := s.Read(ctx, connectors.Bounds{MaxRecords: 1000, MaxWait: time.Hour}, nil)
		failed <- err
	}()
	eventually(t, "three messages have come in", func() bool { return ready(s) == 3 })
	cancel()
	if err := soon(t, "the cancellation", failed); !errors.Is(err, context.Canceled) {
		t.Errorf("expected the cancellation, found %v", err)
	}
	if info := consumerInfo(t, js, "ORDERS"); info.AckFloor.Stream != 0 || info.NumAckPending != 3 {
		t.Errorf("expected three messages without acknowledgement, found %+v", info)
	}
	closeSource(t, s)
	again := ordersFrom(t, c, nil)
	expectSequences(t, read(t, again, records(3)), upTo(1, 3))
}

func TestTheConsumerIsAsDescribed(t *testing.T) {
	c, _, js := someOrders(t, 0)
	s := openSource(t, c, connectors.SourceOptions{Epoch: connectors.Bounds{MaxRecords: 5000}}, sourcesOf(connectors.Settings{"ack_wait": 7 * time.Second}, "orders.a", "orders.b.>")...)
	seek(t, s)
	config := consumerInfo(t, js, "ORDERS").Config
	if config.AckWait != 7*time.Second || config.MaxAckPending != 15000 || config.MaxDeliver != -1 || !reflect.DeepEqual(filters(config), []string{"orders.a", "orders.b.>"}) || config.Metadata[metaFlow] != "default/orders" {
		t.Errorf("found %+v", config)
	}
	lines := strings.Join(describeSources(someFlow, sourcesOf(nil, "orders.>"), records(1000)), "\n")
	for _, want := range []string{config.Durable, "ack wait 30s", "credit 3,000"} {
		if !strings.Contains(lines, want) {
			t.Errorf("expected %q in\n%s", want, lines)
		}
	}
}
