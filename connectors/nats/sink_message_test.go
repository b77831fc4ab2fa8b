package nats

import (
	"maps"
	"reflect"
	"testing"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

const (
	someEventID = "ORDERS.1700000000000000000.7.1700000000000000007"
	someBody    = `{"id":"a","qty":2}`
	someInBody  = `"_flow_event_id":"` + someEventID + `","_flow_subject":"orders.created","_flow_stream":"ORDERS","_flow_sequence":7,"_flow_time":"2023-11-14T22:13:20.000000007Z","_flow_operation":"insert"`
)

func TestWhereTheEnvelopeGoes(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	plain := natsgo.Header{"Content-Type": {"application/json"}, "Flow-Operation": {"insert"}}
	inHeaders := natsgo.Header{"Flow-Event-Id": {someEventID}, "Flow-Source-Subject": {"orders.created"}, "Flow-Source-Stream": {"ORDERS"},
		"Flow-Source-Sequence": {"7"}, "Flow-Source-Time": {"2023-11-14T22:13:20.000000007Z"}}
	maps.Copy(inHeaders, plain)
	for _, v := range []struct {
		name, envelope string
		shaped         bool
		row, body      string
		header         natsgo.Header
	}{
		{"body", "body", false, someBody, `{"id":"a","qty":2,` + someInBody + `}`, plain},
		{"body-empty", "body", false, `{}`, `{` + someInBody + `}`, plain},
		{"body-shaped", "body", true, someBody, someBody, plain},
		{"headers", "headers", false, someBody, someBody, inHeaders},
		{"headers-shaped", "headers", true, someBody, someBody, inHeaders},
		{"none", "none", false, someBody, someBody, plain},
		{"none-empty", "none", false, `{}`, `{}`, plain},
	} {
		t.Run(v.name, func(t *testing.T) {
			spec := ordersTo(v.name, v.name+".<resource>", connectors.Settings{"envelope": v.envelope})
			spec.Shaped = v.shaped
			s := openSink(t, c, spec)
			begin(t, s, 1)
			apply(t, s, batchOf(t, 7, v.row))
			m, err := mustStream(t, js, v.name).GetMsg(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if m.Subject != v.name+".orders" || string(m.Data) != v.body {
				t.Errorf("expected %s on %s.orders, found %s on %s", v.body, v.name, m.Data, m.Subject)
			}
			want := maps.Clone(v.header)
			want["Nats-Expected-Stream"] = []string{v.name}
			want["Nats-Msg-Id"] = []string{string(newMessageIDs(someFlow, "main").append(nil, &connectors.Message{Source: &someLife, Sequence: 7, Time: someLife.Created + 7}, v.name, v.name+".orders", "orders"))}
			if !reflect.DeepEqual(m.Header, want) {
				t.Errorf("expected the headers %v, found %v", want, m.Header)
			}
		})
	}
}

func TestHeadersPassedOn(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", connectors.Settings{"envelope": "none", "headers": []string{"X-Tenant", "X-Missing"}}))
	begin(t, s, 1)
	batch := numbered(t, 1, 3)
	batch.Messages[0].Headers = map[string][]string{"X-Tenant": {"acme", "corp"}, "X-Other": {"no"}, "Nats-Rollup": {"all"}, "traceparent": {"00-1"}}
	batch.Messages[2].Headers = map[string][]string{"X-Tenant": {"last"}}
	apply(t, s, batch)
	stream, err := client(t, url).Stream(t.Context(), "V1")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []natsgo.Header{
		{"X-Tenant": {"acme", "corp"}, "traceparent": {"00-1"}},
		{},
		{"X-Tenant": {"last"}},
	} {
		m, err := stream.GetMsg(t.Context(), uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Content-Type", "Flow-Operation", "Nats-Expected-Stream", "Nats-Msg-Id"} {
			if m.Header.Get(name) == "" {
				t.Errorf("message %d has no %s", i+1, name)
			}
			m.Header.Del(name)
		}
		if !reflect.DeepEqual(m.Header, want) {
			t.Errorf("message %d: expected %v beside the sink's own headers, found %v", i+1, want, m.Header)
		}
	}
	if got := batch.Messages[0].Headers["X-Tenant"]; !reflect.DeepEqual(got, []string{"acme", "corp"}) {
		t.Errorf("the source's headers have changed to %v", got)
	}
}

func TestOperationsAndHoles(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	s := openSink(t, c, ordersTo("S_<1>", "by.<1>.<subject>", connectors.Settings{"envelope": "none"}))
	begin(t, s, 1)
	batch := numbered(t, 1, 2)
	batch.Messages[0].Operation = connectors.Delete
	batch.Messages[1].Operation = connectors.Update
	batch.Messages = batch.Messages[:2]
	batch.Messages[1].Subject = "orders.paid"
	// The second stream's subjects would overlap the first one's.
	makeStream(t, client(t, url), streamOn("S_created", "by.created.>"))
	makeStream(t, client(t, url), streamOn("S_paid", "by.paid.>"))
	apply(t, s, batch)
	for stream, want := range map[string][2]string{"S_created": {"by.created.orders.created", "delete"}, "S_paid": {"by.paid.orders.paid", "update"}} {
		at, err := client(t, url).Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		m, err := at.GetMsg(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if m.Subject != want[0] || m.Header.Get("Flow-Operation") != want[1] {
			t.Errorf("stream %s: expected %v, found %s %s", stream, want, m.Subject, m.Header.Get("Flow-Operation"))
		}
	}
}
