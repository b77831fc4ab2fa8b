package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/internal/natsprocess"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// world is a test's view of a NATS server.
type world struct {
	t         *testing.T
	server    *natsprocess.Server // nil if it is no process of its own
	nc        *natsgo.Conn
	js        jetstream.JetStream
	published int
}

// newWorld starts a server as a process, with the streams of worldOf.
func newWorld(t *testing.T) *world {
	t.Helper()
	return worldOf(t, natsprocess.Start(t))
}

// worldOf makes the streams ORDERS (orders.>) and OUT (out.>) on a server.
func worldOf(t *testing.T, server *natsprocess.Server, options ...natsgo.Option) *world {
	t.Helper()
	w := connect(t, server.URL(), options...)
	w.server = server
	for name, subject := range map[string]string{"ORDERS": "orders.>", "OUT": "out.>"} {
		if _, err := w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{subject}, Duplicates: 10 * time.Minute}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func connect(t *testing.T, url string, options ...natsgo.Option) *world {
	t.Helper()
	nc, err := natsgo.Connect(url, append(options, natsgo.MaxReconnects(-1), natsgo.ReconnectWait(10*time.Millisecond),
		natsgo.PingInterval(time.Second))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(256))
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, nc: nc, js: js}
}

// flow writes a flow file from orders.> to out.v1 with these bounds of its epochs.
// It gives up soon on an acknowledgement that got lost with the server.
func (w *world) flow(epoch string) string {
	w.t.Helper()
	return writeFile(w.t, "orders.flow", fmt.Sprintf(`from nats "orders.>" epoch %s to nats stream "OUT" subject "out.v1" publish_timeout 1s`, epoch))
}

func (w *world) run(file string, more ...string) *process {
	w.t.Helper()
	return start(w.t, append([]string{"run", "--server", w.server.URL(), file}, more...)...)
}

// flowc runs a command that asks the world's server.
func (w *world) flowc(args ...string) ran {
	w.t.Helper()
	return flowc(w.t, "", append(args, "--server", w.server.URL())...)
}

// publish stores n more messages, whose ids go on from the last one's.
func (w *world) publish(n int) {
	w.t.Helper()
	for range n {
		w.published++
		w.send("orders.a", fmt.Appendf(nil, `{"id":%d,"note":"order number %d"}`, w.published, w.published))
	}
	w.acknowledged()
}

func (w *world) send(subject string, body []byte) {
	w.t.Helper()
	if _, err := w.js.PublishAsync(subject, body, jetstream.WithStallWait(bound)); err != nil {
		w.t.Fatal(err)
	}
}

// acknowledged waits until everything that was sent is stored.
func (w *world) acknowledged() {
	w.t.Helper()
	select {
	case <-w.js.PublishAsyncComplete():
	case <-time.After(bound):
		w.t.Fatal("the server does not acknowledge")
	}
}

// stored is how many messages a stream has; 0 while the server is away.
func (w *world) stored(stream string) int {
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		return 0
	}
	return int(s.CachedInfo().State.Msgs)
}

// rows are the messages of OUT that flows wrote, without what else they keep there.
func (w *world) rows() int {
	s, err := w.js.Stream(w.t.Context(), "OUT")
	if err != nil {
		return 0
	}
	info, err := s.Info(w.t.Context(), jetstream.WithSubjectFilter("out.>"))
	if err != nil {
		return 0
	}
	n := 0
	for _, messages := range info.State.Subjects {
		n += int(messages)
	}
	return n
}

func (w *world) reaches(n int) {
	w.t.Helper()
	eventually(w.t, fmt.Sprintf("OUT has %d messages", n), func() bool { return w.stored("OUT") >= n })
}

// read calls each for all messages of a stream that match a subject, in order.
func (w *world) read(stream, subject string, each func(jetstream.Msg)) {
	w.t.Helper()
	var c jetstream.Consumer
	eventually(w.t, "stream "+stream+" can be read", func() bool {
		var err error
		c, err = w.js.OrderedConsumer(w.t.Context(), stream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}})
		return err == nil
	})
	messages, err := c.Messages()
	if err != nil {
		w.t.Fatal(err)
	}
	defer messages.Stop()
	for range c.CachedInfo().NumPending {
		m, err := messages.Next(jetstream.NextMaxWait(bound))
		if err != nil {
			w.t.Fatal(err)
		}
		each(m)
	}
}

// exactlyOnce checks that OUT has the id of every published message once, in
// order, and that no two messages have the same message id.
func (w *world) exactlyOnce() {
	w.t.Helper()
	w.inOrder()
	messageIDs := map[string]bool{}
	w.read("OUT", "out.>", func(m jetstream.Msg) {
		id := m.Headers().Get(jetstream.MsgIDHeader)
		if id == "" || messageIDs[id] {
			w.t.Errorf("the row %s has the message id %q, empty or seen before", m.Data(), id)
		}
		messageIDs[id] = true
	})
}

// inOrder checks that OUT has the id of every published message once, in order.
func (w *world) inOrder() {
	w.t.Helper()
	want := 0
	w.read("OUT", "out.>", func(m jetstream.Msg) {
		var row struct{ ID int }
		if err := json.Unmarshal(m.Data(), &row); err != nil {
			w.t.Fatal(err)
		}
		if want++; row.ID != want && !w.t.Failed() {
			w.t.Errorf("expected id %d, found %d", want, row.ID)
		}
	})
	if want != w.published {
		w.t.Errorf("expected %d messages in OUT, found %d", w.published, want)
	}
}

// chain checks that the flow's records follow from one another and that their
// certificates cover what was published, and returns them.
func (w *world) chain() []exec.Record {
	w.t.Helper()
	var last exec.Record
	var position uint64
	all := w.records()
	for i, r := range all {
		if err := follows(last, r, position); err != nil {
			w.t.Errorf("record %d: %v", i+1, err)
		}
		if r.Epoch != nil && len(r.Epoch.Ranges) > 0 {
			position = r.Epoch.Ranges[0].Last
		}
		last = r
	}
	if position != uint64(w.published) {
		w.t.Errorf("expected certificates up to sequence %d, found them up to %d", w.published, position)
	}
	return all
}

// records are those of the flow's epoch chain.
func (w *world) records() []exec.Record {
	w.t.Helper()
	var all []exec.Record
	w.read("FLOW_LEDGER", "flow.ledger.default.orders.epoch", func(m jetstream.Msg) {
		var r exec.Record
		if err := json.Unmarshal(m.Data(), &r); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, r)
	})
	return all
}

// follows says why a record cannot come after the one before it, with
// everything up to position certified.
func follows(before, r exec.Record, position uint64) error {
	// An owner's claim may be followed by one that keeps the markers that it has written.
	keeps := r.Attempt == before.Attempt && r.Owner.ID == before.Owner.ID && !slices.Equal(r.State.Markers, before.State.Markers)
	switch {
	case r.Kind == exec.ClaimRecord && r.Attempt != before.Attempt+1 && !keeps:
		return fmt.Errorf("expected the claim of attempt %d, found %d", before.Attempt+1, r.Attempt)
	case r.Kind == exec.ClaimRecord && r.State.Epoch != before.State.Epoch:
		return fmt.Errorf("a claim went from epoch %d to %d", before.State.Epoch, r.State.Epoch)
	case r.Kind == exec.ClaimRecord:
		return nil
	case r.Owner.ID != before.Owner.ID || r.Attempt != before.Attempt:
		return errors.New("it is from an owner that did not hold the flow")
	case r.State.Epoch != before.State.Epoch+1:
		return fmt.Errorf("expected epoch %d, found %d", before.State.Epoch+1, r.State.Epoch)
	case r.Epoch == nil || len(r.Epoch.Ranges) != 1:
		return fmt.Errorf("expected a certificate of one range, found %+v", r.Epoch)
	}
	return covers(r.Epoch, position)
}

func covers(e *exec.CertifiedEpoch, position uint64) error {
	got := e.Ranges[0]
	if got.First != position+1 || got.Last-got.First+1 != uint64(got.Records) {
		return fmt.Errorf("expected a range from sequence %d on without holes, found %+v", position+1, got)
	}
	rows := 0
	for _, receipt := range e.Receipts {
		rows += receipt.Rows
	}
	if rows != got.Records {
		return fmt.Errorf("expected receipts of %d rows, found %d", got.Records, rows)
	}
	return nil
}

func claims(records []exec.Record) int {
	n := 0
	for _, r := range records {
		if r.Kind == exec.ClaimRecord {
			n++
		}
	}
	return n
}

// consumer is the state of the flow's consumer.
func (w *world) consumer() *jetstream.ConsumerInfo {
	w.t.Helper()
	c, err := w.js.Consumer(w.t.Context(), "ORDERS", "flow-default-orders")
	if err != nil {
		return &jetstream.ConsumerInfo{}
	}
	return c.CachedInfo()
}

// heartbeats waits until the flow kept n messages alive, which shows that it has
// them in hand. The flow's ack wait must be short.
func (w *world) heartbeats(n int) {
	w.t.Helper()
	alive, err := w.nc.SubscribeSync("$JS.ACK.ORDERS.flow-default-orders.>")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = alive.Unsubscribe() }() // it ends with the connection anyway
	kept := map[string]bool{}
	for len(kept) < n {
		m, err := alive.NextMsg(bound)
		if err != nil {
			w.t.Fatalf("%d of %d messages are kept alive: %v", len(kept), n, err)
		}
		if string(m.Data) == "+WPI" {
			kept[m.Subject] = true
		}
	}
}
