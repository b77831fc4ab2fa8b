package exec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const poisonFlow = `from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1"
	on error retry 20 backoff 10ms..50ms then dead letter to nats subject "dead.<resource>"`

// mixed publishes n messages, those at these places being no JSON.
func (w *world) mixed(n int, poison ...int) {
	w.t.Helper()
	for i := 1; i <= n; i++ {
		if slices.Contains(poison, i) {
			w.publish("orders.a", fmt.Sprintf("poison %d", i))
		} else {
			w.publish("orders.a", fmt.Sprintf(`{"id":%d}`, i))
		}
	}
}

func TestPoisonInAnyPlaceOfAnEpoch(t *testing.T) {
	for name, poison := range map[string][]int{
		"first": {1}, "last": {10}, "middle": {5}, "first of the second": {11}, "around": {10, 11}, "a whole epoch": {11, 12, 13, 14, 15, 16, 17, 18, 19, 20}, "all": upTo(30), "every other": {1, 3, 5, 7, 9, 11, 13},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.plain()
			w.mixed(30, poison...)
			totals, err := w.drain(poisonFlow)
			if err != nil {
				t.Fatal(err)
			}
			good := slices.DeleteFunc(upTo(30), func(i int) bool { return slices.Contains(poison, i) })
			if got := w.ids("OUT"); !slices.Equal(got, good) {
				t.Errorf("expected %v in OUT, found %v", good, got)
			}
			letters := w.messages("FLOW_DEAD")
			for i, l := range letters {
				if want := fmt.Sprintf("poison %d", poison[i]); string(l.Data) != want {
					t.Errorf("letter %d: expected %q, found %q", i+1, want, l.Data)
				}
			}
			if len(letters) != len(poison) || totals.Bad != uint64(len(poison)) || totals.Read != 30 || w.consumer("ORDERS").AckFloor.Stream != 30 {
				t.Errorf("%d letters, totals %+v", len(letters), totals)
			}
			if len(good) > 0 {
				expectCounts(t, w.verify(), exec.RowCounts{Rows: len(good), Found: len(good)})
			}
		})
	}
}

func TestMostlyPoisonIsAccepted(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.mixed(30, upTo(30)...)
	flow := strings.Replace(poisonFlow, "epoch 10/200ms", "epoch 30/1s", 1)
	if _, err := w.drain(flow); err == nil || !strings.Contains(err.Error(), "30 of the 30 rows of this epoch are bad") {
		t.Fatalf("found %v", err)
	}
	totals, err := w.drainAs(flow, exec.Options{AcceptDead: true})
	if err != nil || totals.Bad != 30 || len(w.messages("FLOW_DEAD")) != 30 {
		t.Errorf("%+v, %v", totals, err)
	}
}

func TestDeadLetterStreamThatIsDeletedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.plain()
	r := w.start(poisonFlow)
	w.mixed(3, 2)
	eventually(t, "the first letter is kept", func() bool { return r.count(exec.Certified) > 0 && len(w.ids("OUT")) == 2 })
	if err := w.js.DeleteStream(t.Context(), "FLOW_DEAD"); err != nil {
		t.Fatal(err)
	}
	w.publish("orders.a", "more poison", `{"id":9}`)
	eventually(t, "it is made again", func() bool {
		_, err := w.js.Stream(t.Context(), "FLOW_DEAD")
		return err == nil && len(w.messages("FLOW_DEAD")) == 1 && len(w.ids("OUT")) == 3
	})
	if r.ended() {
		t.Errorf("the flow ended: %v", r.err)
	}
}

// TestFullDeadLetterStream waits, as for a full destination, and certifies nothing.
func TestFullDeadLetterStream(t *testing.T) {
	w := newWorld(t)
	w.plain()
	dead := w.stream(jetstream.StreamConfig{Name: "DEAD", Subjects: []string{"dead.>"}, MaxMsgs: 1, Discard: jetstream.DiscardNew})
	w.mixed(5, 2, 3)
	r := w.start(poisonFlow)
	eventually(t, "it tries again", func() bool { return r.count(exec.Retrying) > 1 })
	if r.count(exec.Certified) > 0 || w.consumer("ORDERS").AckFloor.Stream > 0 {
		t.Error("an epoch is certified whose letters are not kept")
	}
	config := dead.CachedInfo().Config
	config.MaxMsgs = -1
	if _, err := w.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it goes on", func() bool { return r.count(exec.Certified) > 0 })
	if got := len(w.messages("DEAD")); got != 2 {
		t.Errorf("%d letters of two messages", got)
	}
}

func TestDeadLetterStreamThatRefuses(t *testing.T) {
	for want, config := range map[string]jetstream.StreamConfig{
		"is sealed":            {Sealed: true},
		"does not acknowledge": {NoAck: true},
	} {
		w := newWorld(t)
		w.plain()
		config.Name, config.Subjects = "DEAD", []string{"dead.>"}
		sealed := config.Sealed
		config.Sealed = false
		w.stream(config)
		if config.Sealed = sealed; sealed {
			if _, err := w.js.UpdateStream(t.Context(), config); err != nil {
				t.Fatal(err)
			}
		}
		w.mixed(3, 2)
		if _, err := w.drain(poisonFlow); err == nil || !strings.Contains(err.Error(), want) || connectors.Retryable(err) {
			t.Errorf("expected %q, found %v", want, err)
		}
		if n := len(w.messages("OUT")); n != 0 {
			t.Errorf("%d messages are written though nothing takes the letters", n)
		}
	}
}

// TestDeadLetterNearTheLargestMessage gives up headers before it gives up the flow.
func TestDeadLetterNearTheLargestMessage(t *testing.T) {
	w := newWorld(t)
	w.plain()
	m := natsgo.NewMsg("orders.a")
	m.Header.Set("X-Long", strings.Repeat("h", 2000))
	m.Header.Set("X-Short", "kept")
	m.Data = []byte(strings.Repeat("x", 1<<20-2100))
	if _, err := w.js.PublishMsg(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	w.mustDrain(poisonFlow)
	letters := w.messages("FLOW_DEAD")
	if len(letters) != 1 || string(letters[0].Data) != string(m.Data) {
		t.Fatalf("%d letters, or another body", len(letters))
	}
	h := letters[0].Header
	if h.Get("X-Long") != "" || h.Get("X-Short") != "kept" || h.Get("Flow-Shortened") != "reason and headers" || h.Get("Flow-Source") != "ORDERS/1" {
		t.Errorf("found the headers %v", h)
	}

	// A body that does not fit even so cannot be kept, and is not thrown away.
	w.publish("orders.a", strings.Repeat("x", 1<<20-10))
	if _, err := w.drain(poisonFlow); err == nil || !strings.Contains(err.Error(), "the message of sequence 2 of stream ORDERS cannot be kept as a dead letter: its body has 1048566 bytes") {
		t.Errorf("found %v", err)
	}
	if floor := w.consumer("ORDERS").AckFloor.Stream; floor != 1 {
		t.Errorf("acknowledged up to %d", floor)
	}
}

// lettersOf are the flow's dead letters.
func (w *world) lettersOf(flow string) []connectors.Letter {
	w.t.Helper()
	plan := w.plan(flow)
	var all []connectors.Letter
	if err := w.connect().Letters(w.t.Context(), plan.Identity, &plan.Dead.Spec, plan.SourceSpecs(), func(l *connectors.Letter) error {
		all = append(all, *l)
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return all
}

// TestReplayedLettersGoThroughTheirFlow mends the flow, and replays what it could not
// process before.
func TestReplayedLettersGoThroughTheirFlow(t *testing.T) {
	const strict = `from nats "orders.>" schema { id: int } epoch 10/200ms to nats stream "OUT" subject "out.v1" %s
		on error dead letter to nats subject "dead.<resource>"`
	for _, envelope := range []string{"", "envelope headers", "envelope none"} {
		t.Run(envelope, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.plain()
			w.publish("orders.a", `{"id":1}`, `{"id":2,"note":"more"}`, `{"id":3}`, `poison`, `{"id":5,"note":"more"}`)
			first := fmt.Sprintf(strict, envelope)
			w.mustDrain(first)
			if n := len(w.lettersOf(first)); n != 3 {
				t.Fatalf("%d letters", n)
			}
			mended := strings.Replace(first, "{ id: int }", "{ id: int, note: string? }", 1)
			var done []exec.ReplayedLetter
			ledger := w.ledger()
			for range 2 {
				err := exec.ReplayLetters(t.Context(), w.plan(mended), ledger, w.lettersOf(mended), func(connectors.Notice) {}, func(l exec.ReplayedLetter) { done = append(done, l) })
				if err != nil {
					t.Fatal(err)
				}
			}
			if len(done) != 4 || done[0].Rows != 1 || done[0].Failed != "" || done[1].Rows != 0 || !strings.Contains(done[1].Failed, "F5003") || done[2].Rows != 1 || done[3].Failed == "" {
				t.Errorf("found %+v", done)
			}
			if got := w.ids("OUT"); !slices.Equal(got, []int{1, 3, 2, 5}) {
				t.Errorf("OUT holds %v", got)
			}
			if left := w.lettersOf(mended); len(left) != 1 || string(left[0].Message.Data) != "poison" {
				t.Errorf("left are %+v", left)
			}
			// They are rows of no epoch, and hide none that is missing.
			expectCounts(t, w.verify(), exec.RowCounts{Rows: 2, Found: 2})
			w.remove(1)
			expectCounts(t, w.verify(), exec.RowCounts{Rows: 2, Found: 1, Missing: 1})
		})
	}
}

// TestReplayedLetterIsTheOriginalEvent writes it twice, as after a crash before the
// letter was removed: the second one is dropped.
func TestReplayedLetterIsTheOriginalEvent(t *testing.T) {
	const flow = `from nats "orders.>" schema { id: int } epoch 10/200ms to nats stream "OUT" subject "out.v1" on error dead letter to nats subject "dead.<resource>"`
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1}`, `{"id":2,"note":"more"}`)
	w.mustDrain(flow)
	letters := w.lettersOf(flow)
	mended := strings.Replace(flow, "{ id: int }", "{ id: int, ... }", 1)
	for range 2 {
		if err := exec.ReplayLetters(t.Context(), w.plan(mended), w.ledger(), letters, func(connectors.Notice) {}, func(exec.ReplayedLetter) {}); err != nil {
			t.Fatal(err)
		}
	}
	all := w.messages("OUT")
	if len(all) != 2 || !strings.Contains(string(all[1].Data), `"_flow_sequence":2`) {
		t.Errorf("OUT holds %d messages: %s", len(all), all[len(all)-1].Data)
	}
}

// TestManyReplayedLetters have more to be told in the ledger than one message takes.
func TestManyReplayedLetters(t *testing.T) {
	const flow = `from nats "orders.>" schema { id: int } epoch 5000/200ms to nats stream "OUT" subject "out.<subject>" on error dead letter to nats subject "dead.<resource>"`
	w := newWorld(t)
	w.plain()
	for i := range 1200 {
		w.publish(fmt.Sprintf("orders.%d.%s", i, strings.Repeat("x", 950)), `{"id":2,"note":"more"}`)
	}
	w.publish("orders.a", `{"id":1}`)
	if _, err := w.drainAs(flow, exec.Options{AcceptDead: true}); err != nil {
		t.Fatal(err)
	}
	mended := strings.Replace(flow, "{ id: int }", "{ id: int, ... }", 1)
	letters := w.lettersOf(mended)
	if len(letters) != 1200 {
		t.Fatalf("%d letters", len(letters))
	}
	if err := exec.ReplayLetters(t.Context(), w.plan(mended), w.ledger(), letters, func(connectors.Notice) {}, func(l exec.ReplayedLetter) {
		if l.Failed != "" {
			t.Error(l.Failed)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if n := len(w.messages("OUT")); n != 1201 {
		t.Errorf("OUT holds %d messages", n)
	}
	expectCounts(t, w.verify(), exec.RowCounts{Rows: 1, Found: 1})
}
