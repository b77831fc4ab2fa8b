package nats

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// onceTo is a sink of the resource orders that writes exactly once.
func onceTo(stream, subject string, given connectors.Settings) connectors.SinkSpec {
	spec := ordersTo(stream, subject, given)
	spec.Settings[connectors.ExactlyKey] = connectors.Once
	return spec
}

func openTransaction(t testing.TB, c *connection, specs ...connectors.SinkSpec) *transaction {
	t.Helper()
	opened, err := c.OpenTransaction(t.Context(), someFlow, specs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = opened.Close() }) // some tests have closed it
	return opened.(*transaction)
}

// marked makes a transaction ready, with a first marker at each place.
func marked(t testing.TB, tx *transaction) *transaction {
	t.Helper()
	for place := range tx.places {
		if _, err := tx.Marker(t.Context(), place); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Mark(t.Context(), place, []byte(`"start"`)); err != nil {
			t.Fatal(err)
		}
	}
	return tx
}

// prepareAll gives each sink of the transaction a batch.
func prepareAll(t testing.TB, tx *transaction, batches ...connectors.Batch) {
	t.Helper()
	for i, s := range tx.Sinks() {
		if err := s.Begin(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if err := s.Prepare(t.Context(), batches[i]); err != nil {
			t.Fatal(err)
		}
	}
}

func sealed(place int, held ...connectors.Position) connectors.Seal {
	return connectors.Seal{Place: place, Held: held, Content: []byte(`"certificate"`)}
}

func heldTo(sequence uint64) connectors.Position {
	return connectors.Position{Incarnation: someLife, Sequence: sequence}
}

func last(t testing.TB, js jetstream.JetStream, stream, subject string) *jetstream.RawStreamMsg {
	t.Helper()
	m, err := mustStream(t, js, stream).GetLastMsgForSubject(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBatchEndsWithItsMarker(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	tx := marked(t, openTransaction(t, c, onceTo("V1", "v1.<resource>", nil)))
	js := client(t, url)
	prepareAll(t, tx, numbered(t, 1, 5))
	receipts, marker, err := tx.Commit(t.Context(), sealed(0))
	if err != nil {
		t.Fatal(err)
	}
	if len(receipts) != 1 || receipts[0].Rows != 5 || receipts[0].First != 2 || receipts[0].Last != 6 || receipts[0].Stream != "V1" || receipts[0].CRC32C == 0 {
		t.Errorf("the receipts are %+v", receipts)
	}
	m := last(t, js, "V1", "flow.marker.V1.default.orders.0")
	if m.Sequence != 7 || marker.Sequence != 7 || m.Header.Get("Nats-TTL") != "never" || m.Header.Get("Flow-Marker") != "default/orders" {
		t.Errorf("the marker has sequence %d and %d, and the headers %v", m.Sequence, marker.Sequence, m.Header)
	}
	var body markerBody
	if err := json.Unmarshal(m.Data, &body); err != nil || string(body.Content) != `"certificate"` || body.Batch != marker.Batch || body.Messages != 6 {
		t.Errorf("the marker is %s: %v", m.Data, err)
	}
	again, err := tx.Marker(t.Context(), 0)
	if err != nil || !slices.Equal(again.Receipts, receipts) || again.Created != marker.Created {
		t.Errorf("read again it is %+v: %v", again, err)
	}
	row := last(t, js, "V1", "v1.orders")
	if row.Sequence != 6 || row.Header.Get(natsgo.MsgIdHdr) != "" || row.Header.Get("Flow-Event-Id") != "ORDERS.1700000000000000000.5.1700000000000000005" {
		t.Errorf("sequence %d has the headers %v", row.Sequence, row.Header)
	}
	if got := state(t, mustStream(t, js, "V1")); got.Msgs != 6 { // the first marker has been replaced
		t.Errorf("V1 holds %d messages", got.Msgs)
	}
}

func TestBatchLeavesOutWhatThePlaceHolds(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	tx := marked(t, openTransaction(t, c, onceTo("V1", "v1.<resource>", nil)))
	batch := numbered(t, 1, 5)
	prepareAll(t, tx, batch)
	receipts, marker, err := tx.Commit(t.Context(), sealed(0, heldTo(3)))
	if err != nil || len(receipts) != 1 || receipts[0].Rows != 5 || receipts[0].Duplicates != 3 || receipts[0].First != 2 || receipts[0].Last != 3 {
		t.Errorf("the receipts are %+v: %v", receipts, err)
	}
	prepareAll(t, tx, batch)
	receipts, same, err := tx.Commit(t.Context(), sealed(0, heldTo(5)))
	if err != nil || same.Sequence != marker.Sequence || receipts[0].Duplicates != 5 || receipts[0].First != 0 {
		t.Errorf("without a new row: %+v, the marker went from %d to %d: %v", receipts, marker.Sequence, same.Sequence, err)
	}
	other := heldTo(5)
	other.Created++
	prepareAll(t, tx, numbered(t, 1, 5))
	if receipts, _, err = tx.Commit(t.Context(), sealed(0, other)); err != nil || receipts[0].Duplicates != 0 {
		t.Errorf("held of another life of the stream: %+v: %v", receipts, err)
	}
	prepareAll(t, tx, numbered(t, 1, 0))
	always := sealed(0)
	always.Always = true
	if _, marker, err = tx.Commit(t.Context(), always); err != nil || marker.Sequence != 11 {
		t.Errorf("a marker alone has the sequence %d: %v", marker.Sequence, err)
	}
}

func TestFormerOwnerIsFenced(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	former := marked(t, openTransaction(t, c, onceTo("V1", "v1.<resource>", nil)))
	now := marked(t, openTransaction(t, c, onceTo("V1", "v1.<resource>", nil)))
	prepareAll(t, former, numbered(t, 1, 5))
	_, _, err := former.Commit(t.Context(), sealed(0))
	if !errors.Is(err, connectors.ErrInterrupted) || !strings.Contains(err.Error(), "another marker than the one of sequence 1") {
		t.Errorf("the former owner's commit ended with %v", err)
	}
	prepareAll(t, now, numbered(t, 1, 3))
	if _, _, err := now.Commit(t.Context(), sealed(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := former.Mark(t.Context(), 0, nil); err == nil {
		t.Error("a session that is over writes a marker")
	}
	bodies := storedRows(t, client(t, url), "V1")
	if len(bodies) != 3 {
		t.Errorf("V1 holds %q", bodies)
	}
}

// storedRows are the bodies in a stream, in its order, without markers.
func storedRows(t testing.TB, js jetstream.JetStream, stream string) (bodies []string) {
	t.Helper()
	s := mustStream(t, js, stream)
	at := state(t, s)
	for sequence := at.FirstSeq; sequence <= at.LastSeq; sequence++ {
		m, err := s.GetMsg(t.Context(), sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // a marker that was replaced
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Header.Get(headerFlowMarker) == "" {
			bodies = append(bodies, string(m.Data))
		}
	}
	return bodies
}

// heldTransaction is one behind a proxy.
func heldTransaction(t *testing.T, given connectors.Settings) (*transaction, *proxy, jetstream.JetStream) {
	t.Helper()
	url := startEmbedded(t)
	p, through := startProxy(t, url)
	c, _ := link(t, through, nil)
	return marked(t, openTransaction(t, c, onceTo("V1", "v1.<resource>", given))), p, client(t, url)
}

func TestCommitWhoseAnswerIsLate(t *testing.T) {
	tx, p, js := heldTransaction(t, connectors.Settings{"publish_timeout": 200 * time.Millisecond})
	prepareAll(t, tx, numbered(t, 1, 5))
	p.down.hold()
	done := make(chan error, 1)
	var receipts []connectors.Receipt
	go func() {
		var err error
		receipts, _, err = tx.Commit(context.Background(), sealed(0))
		done <- err
	}()
	eventually(t, "the commit is given up", func() bool { return tx.publisher.failed() != nil })
	p.down.open()
	if err := soon(t, "the marker tells", done); err != nil {
		t.Fatal(err)
	}
	if receipts[0].First != 2 || receipts[0].Last != 6 || len(storedRows(t, js, "V1")) != 5 {
		t.Errorf("found %+v", receipts)
	}
	if err := tx.Sinks()[0].Begin(t.Context(), 2); err == nil {
		t.Error("the session goes on after a lost answer")
	}
}

func TestCommitThatIsCut(t *testing.T) {
	for name, cut := range map[string]func(*proxy, context.CancelFunc){
		"link":    func(p *proxy, _ context.CancelFunc) { p.cut() },
		"context": func(_ *proxy, cancel context.CancelFunc) { cancel() },
	} {
		tx, p, js := heldTransaction(t, nil)
		prepareAll(t, tx, numbered(t, 1, 5))
		p.up.hold()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, _, err := tx.Commit(ctx, sealed(0))
			done <- err
		}()
		eventually(t, "the commit is sent", func() bool { return tx.publisher.outstanding().Messages == 2 })
		cut(p, cancel)
		if err := soon(t, "the commit fails", done); err == nil {
			t.Errorf("%s: the commit succeeded", name)
		}
		cancel()
		p.up.open()
		if name == "link" {
			if rows := storedRows(t, js, "V1"); len(rows) != 0 {
				t.Errorf("V1 holds %q", rows)
			}
			continue
		}
		// What was under way when the context ended may still arrive, but not in part.
		eventually(t, "V1 holds the whole batch or nothing of it", func() bool {
			n := len(storedRows(t, js, "V1"))
			return n == 0 || n == 5
		})
	}
}

func TestBatchLargerThanTheWindow(t *testing.T) {
	tx, _, js := heldTransaction(t, connectors.Settings{"max_in_flight": connectors.Limits{Messages: 2, Bytes: 4000}})
	prepareAll(t, tx, numbered(t, 1, 500))
	if _, _, err := tx.Commit(t.Context(), sealed(0)); err != nil {
		t.Fatal(err)
	}
	if rows := storedRows(t, js, "V1"); len(rows) != 500 || rows[499] != `{"n":500,`+rows[499][9:] {
		t.Errorf("V1 holds %d rows", len(rows))
	}
}

func TestSinksOfOneStreamShareABatch(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	config := streamOn("V1", "v1.>", "dead.>", "flow.marker.V1.>")
	config.AllowAtomicPublish, config.AllowRollup = true, true
	makeStream(t, js, config)
	tx := marked(t, openTransaction(t, c, onceTo("V1", "v1.a", nil), onceTo("V1", "v1.b", nil), onceTo("V2", "v2.c", nil)))
	if places := tx.Places(); len(places) != 2 || places[0].Stream != "V1" || places[1].Stream != "V2" {
		t.Fatalf("the places are %v", places)
	}
	dead := openDeadLetters(t, c, deadLetterSpec("dead.<resource>", nil))
	batch := numbered(t, 1, 3)
	prepareAll(t, tx, batch, batch, batch)
	bad := connectors.Message{Subject: "orders.x", Source: &someLife, Sequence: 4, Data: []byte("poison")}
	old := bad
	old.Sequence = 1
	left, err := tx.Keep(dead, []connectors.DeadLetter{{Message: &bad, Code: "F5003", Reason: "why"}, {Message: &old}})
	if err != nil || len(left) != 0 {
		t.Fatalf("%d letters are left: %v", len(left), err)
	}
	if _, _, err := tx.Commit(t.Context(), sealed(1)); err != nil {
		t.Fatal(err)
	}
	receipts, marker, err := tx.Commit(t.Context(), sealed(0, heldTo(1)))
	if err != nil || len(receipts) != 2 || marker.Sequence != 7 {
		t.Fatalf("found %+v, and the marker with sequence %d: %v", receipts, marker.Sequence, err)
	}
	letter := last(t, js, "V1", "dead.orders")
	if letter.Sequence != 6 || string(letter.Data) != "poison" || letter.Header.Get(natsgo.MsgIdHdr) != "" || letter.Header.Get("Flow-Error-Code") != "F5003" ||
		letter.Header.Get(headerBatch) != marker.Batch || last(t, js, "V1", "v1.b").Header.Get(headerBatch) != marker.Batch {
		t.Errorf("the dead letter has sequence %d and the headers %v", letter.Sequence, letter.Header)
	}
	if got := state(t, mustStream(t, js, "V2")).Msgs; got != 4 {
		t.Errorf("V2 holds %d messages", got)
	}
}

func TestDeadLettersOfOtherStreamsAreLeft(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	tx := marked(t, openTransaction(t, c, onceTo("V1", "v1.a", nil)))
	dead := openDeadLetters(t, c, deadLetterSpec("dead.<resource>", nil))
	left, err := tx.Keep(dead, []connectors.DeadLetter{{Message: &connectors.Message{Source: &someLife, Sequence: 4}}})
	if err != nil || len(left) != 1 {
		t.Errorf("%d letters are left: %v", len(left), err)
	}
}

func TestStrangeMarker(t *testing.T) {
	for body, want := range map[string]string{
		`{"n":1}`:      "it is no marker of flowc: it has no format number",
		`no JSON`:      "is no marker of flowc",
		`{"format":2}`: "it has format 2, and this flowc knows up to 1",
	} {
		url := startEmbedded(t)
		c, _ := link(t, url, nil)
		tx := marked(t, openTransaction(t, c, onceTo("V1", "v1.a", nil)))
		if _, err := client(t, url).Publish(t.Context(), "flow.marker.V1.default.orders.0", []byte(body)); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Marker(t.Context(), 0); err == nil || !strings.Contains(err.Error(), want) || connectors.ClassOf(err) != connectors.Environment {
			t.Errorf("%s: found %v", body, err)
		}
	}
}

func TestServerWithoutBatches(t *testing.T) {
	p, through := startProxy(t, startEmbedded(t))
	p.edits(func(b []byte) []byte {
		return bytes.Replace(b, []byte(`"version":"2.`), []byte(`"version":"2.11.9","was":"2.`), 1)
	})
	c, _ := link(t, through, nil)
	_, err := c.OpenTransaction(t.Context(), someFlow, []connectors.SinkSpec{onceTo("V1", "v1.a", nil)})
	if err == nil || !strings.Contains(err.Error(), "needs nats-server 2.12") || !strings.Contains(err.Error(), "has 2.11.9") || connectors.ClassOf(err) != connectors.Environment {
		t.Errorf("found %v", err)
	}
}

func TestRightsOfATransactionAreEnough(t *testing.T) {
	spec := onceTo("V1", "v1.<resource>", connectors.Settings{"marker": "marks.orders"})
	var allowed []string
	for _, right := range rights(complete(connectionFields, nil), []connectors.Use{{Flow: someFlow, Sinks: []connectors.SinkSpec{spec}}}).Publish {
		if right.Only == "" {
			allowed = append(allowed, right.Subject)
		}
	}
	url := startServer(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "flow", Password: "p", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: allowed}, Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}}}}}
	})
	c, _ := link(t, url, connectors.Settings{"auth_mode": "user_password", "username": "flow", "password": connectors.Given("p")})
	tx := marked(t, openTransaction(t, c, spec))
	prepareAll(t, tx, numbered(t, 1, 5))
	if _, _, err := tx.Commit(t.Context(), sealed(0)); err != nil {
		t.Fatal(err)
	}
	if m, err := tx.Marker(t.Context(), 0); err != nil || m.Sequence != 7 {
		t.Errorf("the marker has sequence %d: %v", m.Sequence, err)
	}
}

func TestRemainsOfMarkers(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	c, _ := link(t, url, nil)
	marked(t, openTransaction(t, c, onceTo("V1", "v1.a", nil), onceTo("V2", "v2.a", connectors.Settings{"marker": "marks.a"})))
	other := connectors.Identity{Namespace: "default", Flow: "other"}
	opened, err := c.OpenTransaction(t.Context(), other, []connectors.SinkSpec{onceTo("V1", "v1.a", nil)})
	if err != nil {
		t.Fatal(err)
	}
	marked(t, opened.(*transaction))
	_ = opened.Close() // it has written its marker
	if _, err := js.Publish(t.Context(), "v1.a", nil); err != nil {
		t.Fatal(err)
	}
	elsewhere := connectors.MarkedPlace{Stream: "V2", Subject: "marks.a"}
	want := []connectors.MarkedPlace{{Stream: "V1", Subject: "flow.marker.V1.default.orders.0"}, elsewhere}
	remains, err := c.Remains(t.Context(), someFlow, elsewhere, connectors.MarkedPlace{Stream: "V1", Subject: "v1.a"})
	if err != nil || !slices.Equal(remains.Markers, want) {
		t.Fatalf("found %+v: %v", remains.Markers, err)
	}
	if err := c.Remove(t.Context(), someFlow, remains); err != nil {
		t.Fatal(err)
	}
	if remains := remainsOf(t, c, other); len(remains.Markers) != 1 {
		t.Errorf("the other flow has %+v", remains.Markers)
	}
	if remains, err := c.Remains(t.Context(), someFlow, elsewhere); err != nil || !remains.Empty() {
		t.Errorf("found %+v: %v", remains, err)
	}
}
