package nats

import (
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// boundTo is a source that is bound to the consumer exporter of stream ORDERS.
func boundTo() connectors.SourceSpec {
	return connectors.SourceSpec{Connection: "main", Resource: "ORDERS", Settings: complete(sourceFields, connectors.Settings{"stream": "ORDERS", "consumer": "exporter"})}
}

// exporter is a consumer that fits.
func exporter() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{Durable: "exporter", AckPolicy: jetstream.AckExplicitPolicy, DeliverPolicy: jetstream.DeliverAllPolicy,
		MaxDeliver: -1, MaxAckPending: 1, AckWait: time.Second}
}

func TestCheckBinding(t *testing.T) {
	for _, v := range []struct {
		stream, consumer any // nil is not given
		key, err         string
	}{
		{"ORDERS", "exporter", "", ""},
		{"ORDERS", nil, "", "names its stream and the consumer"},
		{nil, "exporter", "", "names its stream and the consumer"},
		{"OR.DERS", "exporter", "stream", `holds '.'`},
		{"ORDERS", "a.b", "consumer", "is no consumer name"},
		{"ORDERS", "a b", "consumer", "is no consumer name"},
		{"ORDERS", "a/b", "consumer", "is no consumer name"},
	} {
		given := connectors.Settings{}
		if v.stream != nil {
			given["stream"] = v.stream
		}
		if v.consumer != nil {
			given["consumer"] = v.consumer
		}
		checkRefusal(t, checkSources([]connectors.SourceSpec{{Settings: complete(sourceFields, given)}}), v.key, v.err)
	}
	checkRefusal(t, checkSources([]connectors.SourceSpec{boundTo(), {Select: "users.>"}}), "stream", "is the only one of its flow")
}

func TestABoundConsumerThatDoesNotFitIsRefusedByItsSetting(t *testing.T) {
	for setting, change := range map[string]func(*jetstream.ConsumerConfig){
		"not durable":        func(c *jetstream.ConsumerConfig) { c.Durable = "" },
		"DeliverSubject":     func(c *jetstream.ConsumerConfig) { c.DeliverSubject = "push" },
		"filters orders.a":   func(c *jetstream.ConsumerConfig) { c.FilterSubject = "orders.a" },
		"AckPolicy":          func(c *jetstream.ConsumerConfig) { c.AckPolicy = jetstream.AckAllPolicy },
		"DeliverPolicy":      func(c *jetstream.ConsumerConfig) { c.DeliverPolicy = jetstream.DeliverNewPolicy },
		"MaxDeliver=5":       func(c *jetstream.ConsumerConfig) { c.MaxDeliver = 5 },
		"MaxAckPending=1000": func(c *jetstream.ConsumerConfig) { c.MaxAckPending = 1000 },
		"AckWait=500ms":      func(c *jetstream.ConsumerConfig) { c.AckWait = 500 * time.Millisecond },
		"":                   func(*jetstream.ConsumerConfig) {},
	} {
		config := exporter()
		change(&config)
		why := unfit(config)
		if setting == "" && why != "" {
			t.Errorf("a consumer that fits is refused: %s", why)
		} else if setting != "" {
			check(t, setting, errorOf(why), setting)
		}
	}
}

func errorOf(why string) error {
	if why == "" {
		return nil
	}
	return connectors.Errorf(connectors.Permanent, "%s", why)
}

// bindTo opens a bound source on a stream with n messages.
func bindTo(t *testing.T, n int) (*source, jetstream.JetStream, jetstream.Stream) {
	t.Helper()
	url := startEmbedded(t)
	js := client(t, url)
	stream := makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, n, "orders.x")
	if _, err := js.CreateConsumer(t.Context(), "ORDERS", exporter()); err != nil {
		t.Fatal(err)
	}
	c, _ := link(t, url, nil)
	return openSource(t, c, connectors.SourceOptions{}, boundTo()), js, stream
}

func TestABoundConsumerIsReadOneByOne(t *testing.T) {
	s, js, _ := bindTo(t, 3)
	seek(t, s)
	for sequence := uint64(1); sequence <= 3; sequence++ {
		d := read(t, s, records(1000))
		expectSequences(t, d, []uint64{sequence})
		ack(t, d)
	}
	consumer, err := js.Consumer(t.Context(), "ORDERS", "exporter")
	if err != nil {
		t.Fatal(err)
	}
	if info := consumer.CachedInfo(); info.AckFloor.Stream != 3 || info.NumRedelivered != 0 {
		t.Errorf("expected all three acknowledged once, found %+v", info)
	}
}

func TestAGapOfABoundStreamStopsTheFlow(t *testing.T) {
	s, _, stream := bindTo(t, 5)
	seek(t, s)
	ack(t, read(t, s, records(1)))
	remove(t, stream, 3, 4)
	for {
		d, err := s.Read(t.Context(), records(1), nil)
		if err != nil {
			check(t, "gap", err, "after sequence 2 came 5, so sequences 3 to 4 are missing")
			return
		}
		if got := sequences(d); len(got) != 1 || got[0] > 2 {
			t.Fatalf("expected sequence 2 and then an error, found %v", got)
		}
		ack(t, d)
	}
}

func TestABoundConsumerThatIsAheadIsRefused(t *testing.T) {
	s, js, _ := bindTo(t, 3)
	consumer, err := js.Consumer(t.Context(), "ORDERS", "exporter")
	if err != nil {
		t.Fatal(err)
	}
	m, err := consumer.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.DoubleAck(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = s.Seek(t.Context(), someRecords, []connectors.Position{})
	check(t, "ahead", err, "has acknowledged up to sequence 1, and the flow has certified up to 0")
}

func TestAMissingBindingIsNamed(t *testing.T) {
	s, js, _ := bindTo(t, 1)
	if err := js.DeleteConsumer(t.Context(), "ORDERS", "exporter"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Seek(t.Context(), someRecords, []connectors.Position{})
	check(t, "consumer", err, "stream ORDERS has no consumer exporter")
	if err := js.DeleteStream(t.Context(), "ORDERS"); err != nil {
		t.Fatal(err)
	}
	_, err = s.conn.OpenSource(t.Context(), someFlow, []connectors.SourceSpec{boundTo()}, connectors.SourceOptions{})
	check(t, "stream", err, "there is no stream ORDERS")
}
