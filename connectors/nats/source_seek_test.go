package nats

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/nats-io/nats.go/jetstream"
)

func TestReleaseAndSeekReadAgainFromThePosition(t *testing.T) {
	c, said, js := someOrders(t, 60)
	s := ordersFrom(t, c, nil)
	certified := read(t, s, records(20))
	ack(t, certified)
	first, second := read(t, s, records(10)), read(t, s, records(10))
	expectSequences(t, second, upTo(31, 40))
	second.Release(t.Context())
	first.Release(t.Context())
	mustInterrupt(t, s)
	if good := seek(t, s, certified.Position()...); !slices.Equal(good, certified.Position()) {
		t.Errorf("expected the position to be good, found %+v", good)
	}
	d := read(t, s, records(40))
	expectSequences(t, d, upTo(21, 60))
	ack(t, d)
	if info := consumerInfo(t, js, "ORDERS"); info.NumAckPending != 0 || info.AckFloor.Stream != 60 {
		t.Errorf("expected everything acknowledged, found %+v", info)
	}
	if said.holds("made again") {
		t.Errorf("the consumer was made again: %q", said.all)
	}
}

func TestSeekOfANewOwnerTakesBackWhatTheFormerOneHeld(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 50, "orders.x")
	former, _ := link(t, url, nil)
	left := ordersFrom(t, former, connectors.Settings{"ack_wait": time.Hour})
	certified := read(t, left, records(10))
	ack(t, certified)
	expectSequences(t, read(t, left, records(30)), upTo(11, 40))
	left.beat.stop() // a killed process hands nothing back
	left.beat = nil
	former.Close()
	c, _ := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(connectors.Settings{"ack_wait": time.Hour}, "orders.>")...)
	seek(t, s, certified.Position()...)
	expectSequences(t, read(t, s, records(40)), upTo(11, 50))
}

func TestCloseHandsBackAtOnce(t *testing.T) {
	c, _, js := someOrders(t, 20)
	s := ordersFrom(t, c, connectors.Settings{"ack_wait": time.Hour})
	expectSequences(t, read(t, s, records(20)), upTo(1, 20))
	closeSource(t, s)
	consumer, err := js.Consumer(t.Context(), "ORDERS", consumerName(someFlow))
	if err != nil {
		t.Fatal(err)
	}
	batch, err := consumer.Fetch(20, jetstream.FetchMaxWait(patience), jetstream.FetchPriorityGroup(pinGroup))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range batch.Messages() {
		n++
	}
	if n != 20 || batch.Error() != nil {
		t.Errorf("expected all 20 messages to be there for the next reader, found %d, %v", n, batch.Error())
	}
}

func TestAServerThatWasKilledIsReadOnWithoutAGap(t *testing.T) {
	process := natsprocess.Start(t)
	js := client(t, process.URL())
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 100, "orders.x")
	c, said := link(t, process.URL(), nil)
	s := ordersFrom(t, c, connectors.Settings{"ack_wait": time.Hour})
	certified := read(t, s, records(30))
	ack(t, certified)
	expectSequences(t, read(t, s, records(30)), upTo(31, 60))
	process.Kill()
	eventually(t, "a notice of the disconnect", func() bool { return said.holds("disconnected") })
	process.Restart()
	mustInterrupt(t, s)
	if err := c.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	seek(t, s, certified.Position()...)
	d := read(t, s, records(70))
	expectSequences(t, d, upTo(31, 100))
	ack(t, d)
	if !said.holds("reconnected") {
		t.Errorf("expected a notice of the reconnect, found %q", said.all)
	}
}

func TestDeliveriesThatWereLostOnTheWayComeAgain(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	p, through := startProxy(t, url)
	c, _ := link(t, through, nil)
	s := ordersFrom(t, c, connectors.Settings{"ack_wait": time.Hour})
	fill(t, js, 10, "orders.x")
	certified := read(t, s, records(10))
	ack(t, certified)
	eventually(t, "a pull is outstanding", func() bool { return consumerInfo(t, js, "ORDERS").NumWaiting == 1 })
	p.down.hold()
	fill(t, js, 10, "orders.x")
	eventually(t, "the server has delivered", func() bool { return consumerInfo(t, js, "ORDERS").NumAckPending > 0 })
	p.cut()
	mustInterrupt(t, s)
	if err := c.Await(t.Context()); err != nil {
		t.Fatal(err)
	}
	seek(t, s, certified.Position()...)
	expectSequences(t, read(t, s, records(10)), upTo(11, 20))
}

func TestAGapBetweenDeliveriesInterrupts(t *testing.T) {
	c, _, _ := someOrders(t, 5)
	s := ordersFrom(t, c, nil)
	d := read(t, s, records(2))
	forged := *d.(*delivery).held[1].reply
	forged.Reply = fmt.Sprintf("$JS.ACK.ORDERS.%s.1.90.90.1700000000000000000.0", consumerName(someFlow))
	s.mu.Lock()
	s.readers[0].takeMessage(&forged)
	s.mu.Unlock()
	mustInterrupt(t, s)
	seek(t, s)
	expectSequences(t, read(t, s, records(5)), upTo(1, 5))
}

func TestAConsumerDeletedUnderTheReaderIsMadeAgain(t *testing.T) {
	c, said, js := someOrders(t, 30)
	s := ordersFrom(t, c, nil)
	certified := read(t, s, records(10))
	ack(t, certified)
	if err := js.DeleteConsumer(t.Context(), "ORDERS", consumerName(someFlow)); err != nil {
		t.Fatal(err)
	}
	mustInterrupt(t, s)
	seek(t, s, certified.Position()...)
	if !said.holds("the consumer was missing and is made again") {
		t.Errorf("expected a notice, found %q", said.all)
	}
	expectSequences(t, read(t, s, records(20)), upTo(11, 30))
}

func TestAStreamMadeAnewIsReadFromItsBeginning(t *testing.T) {
	for _, sought := range []bool{true, false} {
		t.Run(fmt.Sprintf("reading %v", sought), func(t *testing.T) {
			c, said, js := someOrders(t, 10)
			s := ordersFrom(t, c, nil)
			certified := read(t, s, records(10))
			ack(t, certified)
			if err := js.DeleteStream(t.Context(), "ORDERS"); err != nil {
				t.Fatal(err)
			}
			if sought {
				mustInterrupt(t, s)
			}
			_, err := s.Seek(t.Context(), someRecords, certified.Position())
			check(t, "no stream", err, "the source stream ORDERS is gone")
			anew := makeStream(t, js, streamOn("ORDERS", "orders.>"))
			fill(t, js, 3, "orders.x")
			if !sought {
				closeSource(t, s)
				s = openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, "orders.>")...)
			}
			if good := seek(t, s, certified.Position()...); len(good) != 0 {
				t.Errorf("expected no position to be good, found %+v", good)
			}
			if !said.holds("was deleted and made again") {
				t.Errorf("expected a notice, found %q", said.all)
			}
			d := read(t, s, records(3))
			expectSequences(t, d, upTo(1, 3))
			if got, want := d.Position()[0].Created, anew.CachedInfo().Created.UnixNano(); got != want {
				t.Errorf("expected positions in the new stream (%d), found %d", want, got)
			}
		})
	}
}

func TestAStreamThatWentBackStopsTheFlow(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	stream := makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 10, "orders.x")
	m, err := stream.GetMsg(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	good := connectors.Position{Incarnation: connectors.Incarnation{Stream: "ORDERS", Created: stream.CachedInfo().Created.UnixNano()}, Sequence: 10, Time: m.Time.UnixNano()}
	c, _ := link(t, url, nil)
	for _, v := range []struct {
		name   string
		change func(*connectors.Position)
		err    string
	}{
		{"as it was", func(*connectors.Position) {}, ""},
		{"beyond the last", func(p *connectors.Position) { p.Sequence = 11 }, "it ends at sequence 10, and the flow has certified up to 11"},
		{"other time", func(p *connectors.Position) { p.Time-- }, "sequence 10 was stored at"},
	} {
		t.Run(v.name, func(t *testing.T) {
			p := good
			v.change(&p)
			_, err := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, "orders.>")...).Seek(t.Context(), someRecords, []connectors.Position{p})
			check(t, v.name, err, v.err)
			if err != nil && connectors.Retryable(err) {
				t.Errorf("expected an error that stays, found %v", err)
			}
		})
	}
}

func TestAPositionWhoseMessageIsGoneIsGood(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	stream := makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 10, "orders.x")
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	certified := read(t, s, records(5))
	ack(t, certified)
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSequence(7)); err != nil {
		t.Fatal(err)
	}
	if good := seek(t, s, certified.Position()...); !slices.Equal(good, certified.Position()) {
		t.Errorf("expected the position to be good, found %+v", good)
	}
	expectSequences(t, read(t, s, records(4)), upTo(7, 10))
}

func TestForeignConsumersAreRefused(t *testing.T) {
	for _, v := range []struct {
		name     string
		metadata map[string]string
		err      string
	}{
		{"nobody's", nil, `belongs to somebody else and reads "orders.eu"; flow default/orders, which would read "orders.>", does not change it`},
		{"another flow's", map[string]string{metaFlow: "prod/orders", metaFormat: "1"}, `belongs to prod/orders and reads "orders.eu"; flow default/orders, which would read "orders.>"`},
		{"newer", map[string]string{metaFlow: "default/orders", metaFormat: "3"}, "made by a newer flowc (format 3)"},
		{"that of lost records", map[string]string{metaFlow: "default/orders", metaFormat: "1", metaRecords: "OTHERS"}, "other records of this flow than the ledger holds"},
	} {
		t.Run(v.name, func(t *testing.T) {
			url := startEmbedded(t)
			js := client(t, url)
			makeStream(t, js, streamOn("ORDERS", "orders.>"))
			config := jetstream.ConsumerConfig{Durable: consumerName(someFlow), AckPolicy: jetstream.AckExplicitPolicy, FilterSubject: "orders.eu", Metadata: v.metadata, Description: "theirs"}
			if _, err := js.CreateConsumer(t.Context(), "ORDERS", config); err != nil {
				t.Fatal(err)
			}
			c, _ := link(t, url, nil)
			_, err := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, "orders.>")...).Seek(t.Context(), someRecords, []connectors.Position{})
			check(t, v.name, err, v.err)
			if got := consumerInfo(t, js, "ORDERS").Config.Description; got != "theirs" || connectors.ClassOf(err) != connectors.Environment {
				t.Errorf("expected the consumer to stay as it is and an environment error, found %q, %v", got, err)
			}
		})
	}
}

func TestAPausedConsumerIsRefused(t *testing.T) {
	c, _, js := someOrders(t, 0)
	closeSource(t, ordersFrom(t, c, nil))
	if _, err := js.PauseConsumer(t.Context(), "ORDERS", consumerName(someFlow), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	_, err := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, "orders.>")...).Seek(t.Context(), someRecords, []connectors.Position{})
	check(t, "paused", err, "is paused for another")
}

func TestOurConsumerIsUpdatedInPlace(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 10, "orders.a", "orders.b")
	c, _ := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, "orders.a")...)
	seek(t, s)
	d := read(t, s, records(3))
	expectSequences(t, d, []uint64{1, 3, 5})
	ack(t, d)
	closeSource(t, s)
	created := consumerInfo(t, js, "ORDERS").Created
	s = openSource(t, c, connectors.SourceOptions{}, sourcesOf(connectors.Settings{"ack_wait": 9 * time.Second}, "orders.>")...)
	seek(t, s)
	// What the wider filter matches is read from the position, older messages too.
	expectSequences(t, read(t, s, records(10)), upTo(1, 10))
	info := consumerInfo(t, js, "ORDERS")
	if !info.Created.Equal(created) || info.Config.AckWait != 9*time.Second || strings.Join(filters(info.Config), " ") != "orders.>" {
		t.Errorf("expected the same consumer with other settings, found %+v", info.Config)
	}
}

// A consumer of ours with credit for one message, as older programs made it, gets
// what it lacks without being made anew.
func TestAConsumerWithASingleCreditIsUpgradedInPlace(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.>"))
	fill(t, js, 10, "orders.x")
	older := jetstream.ConsumerConfig{Durable: consumerName(someFlow), AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 1, MaxDeliver: -1,
		AckWait: time.Hour, FilterSubject: "orders.>", Metadata: map[string]string{metaFlow: someFlow.String(), metaRecords: someRecords, metaFormat: "1"}}
	made, err := js.CreateConsumer(t.Context(), "ORDERS", older)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.Next(jetstream.FetchMaxWait(patience)); err != nil { // its one message is somebody's, who is dead
		t.Fatal(err)
	}
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	expectSequences(t, read(t, s, records(10)), upTo(1, 10))
	info := consumerInfo(t, js, "ORDERS")
	if !info.Created.Equal(made.CachedInfo().Created) || info.Config.MaxAckPending != 3000 || info.Config.AckWait != 30*time.Second || !pins(info.Config) {
		t.Errorf("expected the same consumer with more credit, found %+v", info)
	}
}

// The consumer carries the plan that it is read by.
func TestTheConsumerCarriesThePlan(t *testing.T) {
	c, _, js := someOrders(t, 0)
	var made time.Time
	for _, plan := range []string{"one", "two"} {
		s := openSource(t, c, connectors.SourceOptions{Fingerprint: plan}, sourcesOf(nil, "orders.>")...)
		seek(t, s)
		closeSource(t, s)
		info := consumerInfo(t, js, "ORDERS")
		if got := info.Config.Metadata; got[metaPlan] != plan || got[metaFlow] != someFlow.String() || got[metaRecords] != someRecords || got[metaFormat] != "2" {
			t.Errorf("plan %s: found %v", plan, got)
		}
		if made.IsZero() {
			made = info.Created
		}
		if !info.Created.Equal(made) {
			t.Errorf("plan %s: the consumer was made anew", plan)
		}
	}
}

// A Seek that fails at the second stream leaves no subscription of the first.
func TestAFailedSeekLeavesNoSubscription(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("A", "orders.a"))
	makeStream(t, js, streamOn("B", "orders.b"))
	if _, err := js.CreateConsumer(t.Context(), "B", jetstream.ConsumerConfig{Durable: consumerName(someFlow), AckPolicy: jetstream.AckExplicitPolicy}); err != nil {
		t.Fatal(err)
	}
	c, _ := link(t, url, nil)
	s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, "orders.>")...)
	before := c.nc.NumSubscriptions()
	for range 3 {
		_, err := s.Seek(t.Context(), someRecords, []connectors.Position{})
		check(t, "foreign consumer on B", err, "belongs to somebody else")
	}
	if after := c.nc.NumSubscriptions(); after != before+1 { // by which the source shows that it is there
		t.Errorf("expected %d subscriptions, found %d", before+1, after)
	}
}

// A work queue refuses a start sequence, and needs none: what was acknowledged is gone.
func TestAConsumerDeletedOnAWorkQueueIsMadeAgain(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	config := streamOn("ORDERS", "orders.>")
	config.Retention = jetstream.WorkQueuePolicy
	makeStream(t, js, config)
	fill(t, js, 30, "orders.x")
	c, _ := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	certified := read(t, s, records(10))
	ack(t, certified)
	if err := js.DeleteConsumer(t.Context(), "ORDERS", consumerName(someFlow)); err != nil {
		t.Fatal(err)
	}
	mustInterrupt(t, s)
	seek(t, s, certified.Position()...)
	expectSequences(t, read(t, s, records(20)), upTo(11, 30))
}
