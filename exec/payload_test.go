package exec_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/flowlang/flow/exec"
)

// Payloads that break pipelines elsewhere: what leaves, or which message stops the
// flow and for which field. Every case runs twice, as after a restart, and with
// all messages in one epoch or each in its own.
var payloads = []struct {
	name     string
	messages []string
	bodies   []string // as far as the envelope; "raw" is the payload column with the message's bytes
	fault    string   // the field that is named, or part of the reason
	at       uint64   // the sequence of the fault
}{
	{name: "integers keep every digit", messages: []string{`{"id":9007199254740993,"k":1}`, `{"id":9223372036854775807,"k":2}`, `{"id":-9223372036854775808,"k":3}`},
		bodies: []string{`{"id":9007199254740993,"k":1}`, `{"id":9223372036854775807,"k":2}`, `{"id":-9223372036854775808,"k":3}`}},
	{name: "an integer beyond 64 bits", messages: []string{`{"id":1}`, `{"id":9223372036854775808}`}, fault: "field id", at: 2},
	{name: "one in the first message", messages: []string{`{"id":18446744073709551616}`}, fault: "field id", at: 1},
	{name: "a new member", messages: []string{`{"id":1,"n":{"p":1}}`, `{"id":2,"n":{"p":2},"coupon":"X9"}`}, fault: "field coupon", at: 2},
	{name: "a new nested member", messages: []string{`{"id":1,"n":{"p":1}}`, `{"id":2,"n":{"p":2,"q":7}}`}, fault: "field n.q", at: 2},
	{name: "a missing member", messages: []string{`{"id":1,"b":"x"}`, `{"id":2}`}, bodies: []string{`{"id":1,"b":"x"}`, `{"id":2,"b":null}`}},
	{name: "text for an integer", messages: []string{`{"zip":10115}`, `{"zip":"00715"}`}, fault: "field zip", at: 2},
	{name: "an integer for a bool", messages: []string{`{"ok":true}`, `{"ok":1}`}, fault: "field ok", at: 2},
	{name: "a fraction after an integer", messages: []string{`{"amount":1}`, `{"amount":1.5}`}, bodies: []string{`{"amount":1}`, `{"amount":1.5}`}},
	{name: "an integer after a fraction", messages: []string{`{"amount":1.5}`, `{"amount":1}`}, bodies: []string{`{"amount":1.5}`, `{"amount":1}`}},
	{name: "a fraction after an integer that a float would round", messages: []string{`{"n":9007199254740993}`, `{"n":1.5}`}, fault: "field n", at: 2},
	{name: "infinity as text", messages: []string{`{"amount":1.5}`, `{"amount":"Infinity"}`}, fault: "field amount", at: 2},
	{name: "an integer with an exponent", messages: []string{`{"n":1}`, `{"n":1e3}`}, bodies: []string{`{"n":1}`, `{"n":1000}`}},
	{name: "null and an empty array first", messages: []string{`{"id":1,"note":null,"tags":[]}`, `{"id":2,"note":"hi","tags":["x"]}`, `{"id":3,"note":null,"tags":[]}`},
		bodies: []string{`{"id":1,"note":null,"tags":[]}`, `{"id":2,"note":"hi","tags":["x"]}`, `{"id":3,"note":null,"tags":[]}`}},
	{name: "text for an object", messages: []string{`{"id":1,"app":{"name":"web"}}`, `{"id":2,"app":{"name":"api"}}`, `{"id":3,"app":"web"}`}, fault: "field app", at: 3},
	{name: "a mixed array", messages: []string{`{"id":1,"l":[1]}`, `{"id":2,"l":[1,"2"]}`}, fault: "field l[1]", at: 2},
	{name: "an empty payload", messages: []string{``}, bodies: []string{"raw"}},
	{name: "an array", messages: []string{`[1,2]`}, bodies: []string{"raw"}},
	{name: "null", messages: []string{`null`}, bodies: []string{"raw"}},
	{name: "text", messages: []string{`"text"`}, bodies: []string{"raw"}},
	{name: "a number", messages: []string{`42`}, bodies: []string{"raw"}},
	{name: "two objects", messages: []string{`{"a":1}{"b":2}`}, bodies: []string{"raw"}},
	{name: "an object and more", messages: []string{`{"a":1} trailing`}, bodies: []string{"raw"}},
	{name: "half an object", messages: []string{`{"a":1`}, bodies: []string{"raw"}},
	{name: "a byte order mark", messages: []string{"\ufeff{\"a\":1}"}, bodies: []string{"raw"}},
	{name: "NaN", messages: []string{`NaN`}, bodies: []string{"raw"}},
	{name: "a name twice", messages: []string{`{"a":1,"a":2}`}, bodies: []string{"raw"}},
	{name: "a nested name twice", messages: []string{`{"n":{"a":1,"a":2}}`}, bodies: []string{"raw"}},
	{name: "a number beyond a float", messages: []string{`{"a":1e400}`}, bodies: []string{"raw"}},
	{name: "a lone surrogate", messages: []string{`{"a":"\ud800"}`}, bodies: []string{"raw"}},
	{name: "bytes that are no UTF-8", messages: []string{"{\"id\":1,\"name\":\"Jos\xe9\"}"}, bodies: []string{"raw"}},
	{name: "the same after an object", messages: []string{`{"id":1,"name":"ok"}`, "{\"id\":2,\"name\":\"Jos\xe9\"}"}, fault: "object", at: 2},
	{name: "an array after an object", messages: []string{`{"a":1}`, `[1]`}, fault: "object", at: 2},
	{name: "an object after an array", messages: []string{`[1]`, `{"a":1}`}, fault: "object", at: 2},
	{name: "a forged envelope", messages: []string{`{"id":1,"subject":"evil","_flow_event_id":"same","payload":"p"}`, `{"id":2,"subject":"evil","_flow_event_id":"same","payload":"p"}`},
		bodies: []string{`{"id":1,"subject":"evil","payload":"p"}`, `{"id":2,"subject":"evil","payload":"p"}`}},
	{name: "control characters in a value", messages: []string{`{"n":"\u001b[2J\u001b[31mred","c":"ok\rFAKE"}`}, bodies: []string{`{"n":"\u001b[2J\u001b[31mred","c":"ok\rFAKE"}`}},
	{name: "an empty object", messages: []string{`{}`, `{}`}, bodies: []string{`{}`, `{}`}},
}

func TestPayloads(t *testing.T) {
	for _, p := range payloads {
		for _, epoch := range []string{"1000/200ms", "1/200ms"} {
			t.Run(p.name+" "+epoch, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.plain()
				w.publish("orders.a", p.messages...)
				flow := `from nats "orders.>" epoch ` + epoch + ` to nats stream "OUT" subject "out.v1"`
				for range 2 {
					_, err := w.drain(flow)
					if p.fault == "" {
						if err != nil {
							t.Fatal(err)
						}
						continue
					}
					fault, ok := errors.AsType[*exec.RowFault](err)
					if !ok || fault.Sequence != p.at || fault.Resource != "orders" || !strings.Contains(fault.Error(), p.fault) {
						t.Fatalf("ended with %v", err)
					}
				}
				if p.fault != "" {
					// An epoch of its own before the fault is certified, one with it is not.
					if n := len(w.messages("OUT")); epoch == "1000/200ms" && n != 0 || uint64(n) >= p.at {
						t.Errorf("%d messages went out", n)
					}
					return
				}
				checkBodies(t, w, p.messages, p.bodies)
			})
		}
	}
}

func checkBodies(t *testing.T, w *world, messages, want []string) {
	t.Helper()
	got := w.messages("OUT")
	if len(got) != len(want) {
		t.Fatalf("OUT holds %d messages", len(got))
	}
	ids := map[string]bool{}
	for i, m := range got {
		expected := want[i]
		if expected == "raw" {
			expected = `{"payload":"` + base64.StdEncoding.EncodeToString([]byte(messages[i])) + `"}`
		}
		body, envelope, _ := strings.Cut(string(m.Data), `"_flow_event_id":`)
		if body = strings.TrimSuffix(body, ",") + "}"; body != expected {
			t.Errorf("message %d is %s, want %s", i+1, body, expected)
		}
		if !strings.Contains(envelope, `"_flow_subject":"orders.a"`) || strings.Contains(envelope, "same") {
			t.Errorf("its envelope is %s", envelope)
		}
		ids[m.Header.Get("Nats-Msg-Id")] = true
	}
	if len(ids) != len(got) {
		t.Errorf("%d messages have %d ids", len(got), len(ids))
	}
}
