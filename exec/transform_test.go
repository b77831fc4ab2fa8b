package exec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/nats-io/nats.go/jetstream"
)

// bodies are the messages of a stream without the envelope's columns, which come last.
func (w *world) bodies(stream string) []string {
	w.t.Helper()
	var all []string
	for _, m := range w.messages(stream) {
		text, _, found := strings.Cut(string(m.Data), `,"_flow_event_id"`)
		if found {
			text += "}"
		}
		all = append(all, text)
	}
	return all
}

func TestSteps(t *testing.T) {
	rows := []string{
		`{"id":1,"amount":5,"country":"DE","cust":{"tier":"gold"}}`,
		`{"id":2,"amount":50,"country":"FR"}`,
		`{"id":3,"amount":null,"country":"US","cust":{"tier":"tin"}}`,
	}
	for _, c := range []struct {
		steps string
		want  []string
	}{
		{`where amount > 10`, []string{`{"id":2,"amount":50,"country":"FR","cust":null}`}},
		{`where amount == nil`, []string{`{"id":3,"amount":null,"country":"US","cust":{"tier":"tin"}}`}},
		{`where amount > 1 where id < 2 select { id }`, []string{`{"id":1}`}},
		{`select { id, twice: amount * 2 }`, []string{`{"id":1,"twice":10}`, `{"id":2,"twice":100}`, `{"id":3,"twice":null}`}},
		{`select { tier: cust.tier, ... } where tier != nil drop cust, amount, country`, []string{`{"tier":"gold","id":1}`, `{"tier":"tin","id":3}`}},
		{`select { ..., subject: _flow_subject } drop cust, amount, country`, []string{
			`{"id":1,"subject":"orders.a"}`, `{"id":2,"subject":"orders.a"}`, `{"id":3,"subject":"orders.a"}`}},
		{`where msg.sequence == 2 select { _flow_subject, "n": msg.sequence }`, []string{`{"_flow_subject":"orders.a","n":2}`}},
		{`where 10 / (id - 3) != 0 or true select { id }`, nil},                       // a row has no value
		{`where id != 3 select { x: 10 % (id - 3) }`, []string{`{"x":0}`, `{"x":0}`}}, // dropped rows are not evaluated
		{`where false`, []string{}},
	} {
		w := newWorld(t)
		w.plain()
		w.publish("orders.a", rows...)
		totals, err := w.drain(`from nats "orders.>" epoch 1000/200ms ` + c.steps + ` to nats stream "OUT" subject "out.v1"`)
		if c.want == nil {
			fault, ok := errors.AsType[*exec.RowFault](err)
			if !ok || fault.Sequence != 3 || fault.At.Source == nil {
				t.Errorf("%s: ended with %v", c.steps, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.steps, err)
			continue
		}
		if got := w.bodies("OUT"); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s\n got %s\nwant %s", c.steps, got, c.want)
		}
		if c := w.consumer("ORDERS"); c.AckFloor.Stream != 3 {
			t.Errorf("acknowledged up to %d", c.AckFloor.Stream)
		}
		if totals.Read != 3 || totals.Dropped != uint64(3-len(c.want)) {
			t.Errorf("%s: totals are %+v", c.steps, totals)
		}
	}
}

func TestRoutes(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publish("orders.a", `{"id":1,"c":"DE"}`, `{"id":2,"c":"FR"}`, `{"id":3}`, `{"id":4,"c":"US"}`)
	totals, err := w.drain(`from nats "orders.>" epoch 1000/200ms
		to nats stream "DE" subject "de.v1" when c == "DE"
		to nats stream "EU" subject "eu.v1" when c in ["DE", "FR"]
		to nats stream "REST" subject "rest.v1" otherwise
		to nats stream "ALL" subject "all.v1"`)
	if err != nil {
		t.Fatal(err)
	}
	for stream, want := range map[string]string{"DE": "1", "EU": "1 2", "REST": "3 4", "ALL": "1 2 3 4"} {
		if got := strings.Trim(strings.Join(strings.Fields(joinInts(w.ids(stream))), " "), " "); got != want {
			t.Errorf("%s holds %s, want %s", stream, got, want)
		}
	}
	if totals.Read != 4 || totals.Written != 9 || totals.Dropped != 0 {
		t.Errorf("totals are %+v", totals)
	}
}

func joinInts(list []int) string {
	var b strings.Builder
	for _, n := range list {
		b.WriteByte(' ')
		b.WriteString(string(rune('0' + n)))
	}
	return b.String()
}

func TestUnknownNameStopsBeforeAnythingIsAcknowledged(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publish("orders.a", `{"amount":5,"cust":{"tier":"gold"}}`)
	for text, suggestion := range map[string]string{
		`where amout == 5`:          "amount",
		`where cust.teir == "gold"`: "tier",
		`select { amuont }`:         "amount",
		`drop amonut`:               "amount",
	} {
		_, err := w.drain(`from nats "orders.>" epoch 1000/200ms ` + text + ` to nats stream "OUT" subject "out.v1"`)
		found, ok := errors.AsType[lang.Diagnostics](err)
		if !ok || !strings.Contains(found.Error(), suggestion) || !strings.Contains(found.Error(), "orders.flow:1:") {
			t.Errorf("%s: ended with %v", text, err)
		}
	}
	if c := w.consumer("ORDERS"); c.AckFloor.Stream != 0 || len(w.messages("OUT")) != 0 {
		t.Errorf("acknowledged up to %d", c.AckFloor.Stream)
	}
}

func TestDeclaredSchema(t *testing.T) {
	w := newWorld(t)
	w.plain()
	flow := `schema order { id: int, placed: timestamp?, price: decimal?, ... }
		from nats "orders.>" schema order epoch 1000/200ms where id > 0 to nats stream "OUT" subject "out.<id>"`
	w.publish("orders.a", `{"id":1,"price":1.10,"placed":"2024-01-02T03:04:05+01:00"}`, `{"id":2,"extra":"x"}`)
	if _, err := w.drain(flow); err != nil {
		t.Fatal(err)
	}
	w.publish("orders.a", `{"id":3,"extra":"y"}`)
	if _, err := w.drain(flow); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"id":1,"placed":"2024-01-02T02:04:05Z","price":1.10}`,
		`{"id":2,"placed":null,"price":null,"extra":"x"}`,
		`{"id":3,"placed":null,"price":null,"extra":"y"}`,
	}
	if got := w.bodies("OUT"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %s", got)
	}
	if m := w.messages("OUT"); m[2].Subject != "out.3" {
		t.Errorf("the column in the subject gave %s", m[2].Subject)
	}
	w.publish("orders.a", `{"price":1}`)
	if _, err := w.drain(flow); err == nil || !strings.Contains(err.Error(), "id") {
		t.Errorf("a missing member was taken: %v", err)
	}
}

func TestHoleThatARowCannotFill(t *testing.T) {
	for body, why := range map[string]string{`{"c":"a.b"}`: "dot", `{"c":""}`: "empty", `{"c":null}`: "null", `{"c":"x y"}`: "white space", `{"c":"*"}`: "wildcard"} {
		w := newWorld(t)
		w.plain()
		w.publish("orders.a", `{"c":"ok"}`, body)
		_, err := w.drain(`from nats "orders.>" schema { c: string? } epoch 1000/200ms to nats stream "OUT" subject "out.<c>"`)
		fault, ok := errors.AsType[*exec.RowFault](err)
		if !ok || fault.Sequence != 2 || !strings.Contains(fault.Error(), why) {
			t.Errorf("%s: ended with %v", body, err)
		}
		if n := len(w.messages("OUT")); n != 0 {
			t.Errorf("%s: %d messages went out", body, n)
		}
	}
}

func TestMarkersAreRowsOfNulls(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	kv, err := w.js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "app", History: 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "k0"); err != nil { // before anything fixes the shape
		t.Fatal(err)
	}
	if _, err := w.drain(`from nats "$KV.app.>" as orders epoch 1/200ms to nats stream "OUT" subject "out.v1"`); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), "k1", `{"v":1}`); err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "k1"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(`from nats "$KV.app.>" as orders epoch 1/200ms to nats stream "OUT" subject "out.v1"`); err != nil {
		t.Fatal(err)
	}
	messages := w.messages("OUT")
	if len(messages) != 3 {
		t.Fatalf("OUT holds %d messages", len(messages))
	}
	for i, want := range []string{"delete", "update", "delete"} {
		if got := messages[i].Header.Get("Flow-Operation"); got != want {
			t.Errorf("message %d is %s", i+1, got)
		}
	}
	if !strings.HasPrefix(string(messages[2].Data), `{"v":null,`) {
		t.Errorf("the marker became %s", messages[2].Data)
	}
}
