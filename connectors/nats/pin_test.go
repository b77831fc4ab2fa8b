package nats

import (
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func tenure(t testing.TB, s *source) connectors.Tenure {
	t.Helper()
	found, err := s.Held(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// stays checks that others find the source occupied all the time, for twice as
// long as a pin lasts.
func stays(t testing.TB, what string, other *source) {
	t.Helper()
	for over := time.Now().Add(2 * pinTimeout); time.Now().Before(over); time.Sleep(20 * time.Millisecond) {
		if tenure(t, other) != connectors.Occupied {
			t.Fatalf("%s: the source looks vacant", what)
		}
	}
}

// others is a source of the same flow on a connection of its own, as a second process
// has it.
func others(t testing.TB, url string) (*source, *connection) {
	t.Helper()
	c, _ := link(t, url, nil)
	return openSource(t, c, connectors.SourceOptions{}, sourcesOf(connectors.Settings{"ack_wait": time.Hour}, "orders.>")...), c
}

func TestASourceIsHeldWhileItIsIdle(t *testing.T) {
	t.Parallel()
	url := startEmbedded(t)
	makeStream(t, client(t, url), streamOn("ORDERS", "orders.>"))
	other, _ := others(t, url)
	if tenure(t, other) != connectors.Vacant {
		t.Error("nobody has begun, and the source looks occupied")
	}
	s, c := others(t, url)
	seek(t, s)
	eventually(t, "others find the source occupied", func() bool { return tenure(t, other) == connectors.Occupied })
	stays(t, "idle", other)
	closeSource(t, s)
	if tenure(t, other) != connectors.Vacant {
		t.Error("a source that was closed looks occupied")
	}
	c.nc.Close()
}

// What is read is kept in hand, as while a destination blocks; there is more to read,
// or it uses up the credit.
func TestASourceIsHeldWhileItsReaderIsBusy(t *testing.T) {
	for name, n := range map[string]int{"more to read": 10_000, "no credit left": 3000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := startEmbedded(t)
			js := client(t, url)
			makeStream(t, js, streamOn("ORDERS", "orders.>"))
			fill(t, js, n, "orders.x")
			other, _ := others(t, url)
			s, c := others(t, url)
			seek(t, s)
			for range 3 {
				read(t, s, records(1000))
			}
			stays(t, name, other)
			// A crash: nothing is said any more.
			c.nc.Close()
			began := time.Now()
			eventually(t, "the source looks vacant", func() bool { return tenure(t, other) == connectors.Vacant })
			if took := time.Since(began); took > pinTimeout+time.Second/2 {
				t.Errorf("it took %s until the source of a crashed process looked vacant", took)
			}
		})
	}
}

func TestWhoTakesASourceOverWaitsForNoPin(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 20, "orders.x")
	former, _ := others(t, url)
	seek(t, former)
	read(t, former, records(10))
	s, _ := others(t, url)
	began := time.Now()
	seek(t, s)
	expectSequences(t, read(t, s, records(20)), upTo(1, 20))
	if took := time.Since(began); took > pinTimeout/2 {
		t.Errorf("it took %s", took)
	}
	fill(t, js, 1, "orders.x")
	mustInterrupt(t, former)
	// A former owner that closes leaves the new one its pin.
	closeSource(t, former)
	if pinnedTo(consumerInfo(t, js, "ORDERS")) != s.presence.pinOf("ORDERS") {
		t.Error("the new reader has lost its pin")
	}
	expectSequences(t, read(t, s, records(1)), upTo(21, 21))
}

func TestALostPinIsNoEnd(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 1, "orders.x")
	s, c := others(t, url)
	seek(t, s)
	certified := read(t, s, records(1))
	ack(t, certified)
	if err := c.unpin(t.Context(), "ORDERS", consumerName(someFlow)); err != nil {
		t.Fatal(err)
	}
	fill(t, js, 1, "orders.x")
	mustInterrupt(t, s)
	seek(t, s, certified.Position()...)
	expectSequences(t, read(t, s, records(1)), upTo(2, 2))
}

func TestThePinIsNoHeaderOfAMessage(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	for _, header := range []natsgo.Header{nil, {"Trace": {"a"}}, {pinHeader: {"stored"}}} {
		if _, err := js.PublishMsg(t.Context(), &natsgo.Msg{Subject: "orders.x", Data: []byte("{}"), Header: header}); err != nil {
			t.Fatal(err)
		}
	}
	s, _ := others(t, url)
	seek(t, s)
	m := read(t, s, records(3)).Messages()
	if s.presence.pinOf("ORDERS") == "" {
		t.Fatal("the source is not pinned")
	}
	if m[0].Headers != nil || len(m[1].Headers) != 1 || m[1].Headers["Trace"][0] != "a" || len(m[2].Headers[pinHeader]) != 1 || m[2].Headers[pinHeader][0] != "stored" {
		t.Errorf("the headers are %v, %v and %v", m[0].Headers, m[1].Headers, m[2].Headers)
	}
}

func TestAConsumerWithoutPinIsUpgradedInPlace(t *testing.T) {
	for _, retention := range []jetstream.RetentionPolicy{jetstream.LimitsPolicy, jetstream.WorkQueuePolicy, jetstream.InterestPolicy} {
		url := startEmbedded(t)
		js := client(t, url)
		config := streamOn("ORDERS", "orders.>")
		config.Retention = retention
		makeStream(t, js, config)
		s, _ := others(t, url)
		s.records = someRecords
		old := s.consumerConfig(s.streams[0])
		old.PriorityPolicy, old.PinnedTTL, old.PriorityGroups = jetstream.PriorityPolicyNone, 0, nil
		old.Metadata[metaFormat] = "1"
		consumer, err := js.CreateConsumer(t.Context(), "ORDERS", old)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, js, 2, "orders.x")
		seek(t, s)
		d := read(t, s, records(2))
		expectSequences(t, d, upTo(1, 2))
		ack(t, d)
		if info := consumerInfo(t, js, "ORDERS"); !info.Created.Equal(consumer.CachedInfo().Created) || pinnedTo(info) == "" || info.Config.Metadata[metaFormat] != "2" {
			t.Errorf("%s: expected the same consumer with a pin, found %+v", retention, info)
		}
	}
}
