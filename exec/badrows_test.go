package exec_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const deadFlow = `from nats "orders.>" epoch 1000/200ms where 10 % (id - 3) >= 0 or true to nats stream "OUT" subject "out.v1"
	on error dead letter to nats subject "dead.<resource>"`

func TestDeadLetters(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, MaxMsgSize: 2000})
	w.publish("orders.a", `not json`) // before an object has fixed the shape
	w.publishIDs(1, 4)
	message := &nats.Msg{Subject: "orders.b", Data: []byte(`{"id":"five"}`), Header: nats.Header{"X-Trace": {"abc"}, "Nats-Msg-Id": {"mine"}, "Nats-Rollup": {"sub"}}}
	delete(message.Header, "Nats-Rollup") // the source stream does not allow it
	if _, err := w.js.PublishMsg(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	w.publish("orders.a", `{"id":6,"id":6}`, fmt.Sprintf(`{"id":7,"big":"%s"}`, strings.Repeat("x", 10)), `{"id":8}`)
	totals, err := w.drain(deadFlow)
	if err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, []int{1, 2, 4, 8}) {
		t.Errorf("OUT holds %v", ids)
	}
	letters := w.messages("FLOW_DEAD")
	want := map[string]string{ // by position: code and part of the reason
		"ORDERS/1": "F5003 object", "ORDERS/4": "F5002 zero", "ORDERS/6": "F5003 string", "ORDERS/7": "F5003 id", "ORDERS/8": "F5003 big",
	}
	for _, l := range letters {
		code, reason, _ := strings.Cut(want[l.Header.Get("Flow-Source")], " ")
		if l.Header.Get("Flow-Error-Code") != code || !strings.Contains(l.Header.Get("Flow-Error"), reason) || l.Subject != "dead.orders" || l.Header.Get("Flow-Name") != "default/orders" {
			t.Errorf("letter %s on %s: %v", l.Data, l.Subject, l.Header)
		}
		delete(want, l.Header.Get("Flow-Source"))
	}
	if len(want) > 0 {
		t.Errorf("no dead letter of %v", want)
	}
	i := slices.IndexFunc(letters, func(l *jetstream.RawStreamMsg) bool { return string(l.Data) == `{"id":"five"}` })
	if i < 0 || letters[i].Header.Get("X-Trace") != "abc" || letters[i].Header.Get("Flow-Original-Nats-Msg-Id") != "mine" || letters[i].Header.Get("Nats-Msg-Id") == "mine" {
		t.Errorf("the original's headers are lost: %+v", letters)
	}
	if totals.Read != 9 || totals.Bad != 5 || totals.Written != 4 || totals.Dropped != 0 {
		t.Errorf("totals are %+v", totals)
	}
	if c := w.consumer("ORDERS"); c.AckFloor.Stream != 9 {
		t.Errorf("acknowledged up to %d", c.AckFloor.Stream)
	}
}

func TestRowsTooLargeBecomeDeadLetters(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, MaxMsgSize: 1000})
	w.stream(jetstream.StreamConfig{Name: "GRAVES", Subjects: []string{"dead.>"}})
	w.publish("orders.a", `{"id":1,"b":""}`, fmt.Sprintf(`{"id":2,"b":%q}`, strings.Repeat("x", 1000)), `{"id":3}`)
	if _, err := w.drain(deadFlow); err != nil { // row 3 is bad as well: 10 % (3 - 3)
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, []int{1}) {
		t.Errorf("OUT holds %v", ids)
	}
	letters := w.messages("GRAVES")
	if len(letters) != 2 || !slices.ContainsFunc(letters, func(l *jetstream.RawStreamMsg) bool {
		return l.Header.Get("Flow-Error-Code") == "F5004" && strings.Contains(l.Header.Get("Flow-Error"), "1000")
	}) {
		t.Errorf("letters are %+v", letters)
	}
}

func TestSkippedRows(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"id":1}`, `[]`, `{"id":true}`, `{"id":4}`)
	totals, err := w.drain(plainFlow + ` on error skip`)
	if err != nil {
		t.Fatal(err)
	}
	if ids := w.ids("OUT"); !slices.Equal(ids, []int{1, 4}) || totals.Bad != 2 {
		t.Errorf("OUT holds %v, %d were bad", ids, totals.Bad)
	}
}

func TestMostRowsBadStopsTheFlow(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 9)
	for range 11 {
		w.publish("orders.a", `{"id":"x"}`)
	}
	_, err := w.drain(plainFlow + ` on error skip`)
	if err == nil || !strings.Contains(err.Error(), "11 of the 20 rows") || connectors.Retryable(err) {
		t.Errorf("ended with %v", err)
	}
	if n := len(w.messages("OUT")); n != 0 {
		t.Errorf("OUT holds %d messages", n)
	}
	if c := w.consumer("ORDERS"); c.AckFloor.Stream != 0 {
		t.Errorf("acknowledged up to %d", c.AckFloor.Stream)
	}
}

func TestPlaceForDeadLetters(t *testing.T) {
	for _, c := range []struct{ letters, want string }{
		{`subject "dead.x" create_stream false`, "no stream captures"},
		{`subject "dead.x" stream "ORDERS"`, "other subjects"},
		{`subject "dead.x" stream "GRAVES"`, ""},
		{`subject "out.dead"`, ""}, // OUT captures it
	} {
		w := newWorld(t)
		w.plain()
		w.publish("orders.a", `{"id":1}`, `{"id":"x"}`)
		_, err := w.drain(plainFlow + ` on error dead letter to nats ` + c.letters)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.letters, err)
		}
	}
}

func TestRepeatedEpochRepeatsNoDeadLetter(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	out := w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, MaxMsgs: 1, Discard: jetstream.DiscardNew})
	w.publish("orders.a", `{"id":1}`, `{"id":"x"}`, `{"id":2}`)
	if _, err := w.drain(plainFlow + ` on error retry 1 backoff 1ms..1ms then dead letter to nats subject "dead.<resource>"`); err == nil {
		t.Fatal("a full destination was no failure")
	}
	if err := out.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	config := out.CachedInfo().Config
	config.MaxMsgs = -1
	if _, err := w.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(plainFlow + ` on error dead letter to nats subject "dead.<resource>"`); err != nil {
		t.Fatal(err)
	}
	if n := len(w.messages("FLOW_DEAD")); n != 1 {
		t.Errorf("%d dead letters of one message", n)
	}
}
