package nats

import (
	"errors"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

func namesOf(s *source) string {
	var names []string
	for _, f := range s.streams {
		names = append(names, f.Stream+"="+strings.Join(f.filters, ","))
	}
	return strings.Join(names, " ")
}

// somePlaces are streams of every sort.
func somePlaces(t *testing.T) (*connection, jetstream.JetStream) {
	t.Helper()
	url := startEmbedded(t)
	js := client(t, url)
	makeStream(t, js, streamOn("ORDERS", "orders.*", "orders.eu.>"))
	makeStream(t, js, streamOn("USERS", "users.>"))
	makeStream(t, js, jetstream.StreamConfig{Name: "MIRROR", Mirror: &jetstream.StreamSource{Name: "ORDERS"}})
	makeStream(t, js, jetstream.StreamConfig{Name: "COPY", Subjects: []string{"orders.us.>"}, Sources: []*jetstream.StreamSource{{Name: "USERS"}}})
	makeStream(t, js, jetstream.StreamConfig{Name: "CHANGED", Subjects: []string{"changed.>"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "changed.>", Destination: "orders.changed.>"}})
	if _, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "app"}); err != nil {
		t.Fatal(err)
	}
	c, _ := link(t, url, nil)
	if _, err := c.OpenLedger(t.Context(), someFlow); err != nil {
		t.Fatal(err)
	}
	return c, js
}

func TestStreamsThatAreRead(t *testing.T) {
	c, _ := somePlaces(t)
	for _, v := range []struct {
		subjects []string
		want     string
	}{
		{[]string{"orders.>"}, "ORDERS=orders.>"},
		{[]string{"orders.x"}, "ORDERS=orders.x"},
		{[]string{">"}, "ORDERS=> USERS=>"},
		{[]string{"orders.a", "orders.b", "users.x"}, "ORDERS=orders.a,orders.b USERS=users.x"},
		{[]string{"*.x"}, "ORDERS=*.x USERS=*.x"},
		{[]string{"$KV.app.>"}, "KV_app=$KV.app.>"},
	} {
		s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, v.subjects...)...)
		if got := namesOf(s); got != v.want {
			t.Errorf("%v: expected %q, found %q", v.subjects, v.want, got)
		}
	}
}

func TestStreamsThatArePassedOver(t *testing.T) {
	c, _ := somePlaces(t)
	for subject, want := range map[string]string{
		"orders.us.x": "COPY (it copies from other streams)",
		"changed.x":   "CHANGED (it changes subjects)",
		"flow.>":      "FLOW_LEDGER (the ledger)",
	} {
		_, err := c.OpenSource(t.Context(), someFlow, sourcesOf(nil, subject), connectors.SourceOptions{})
		check(t, subject, err, "passed over "+want)
	}
}

func TestNoStreamListsTheOnesThatAreThere(t *testing.T) {
	c, _ := somePlaces(t)
	_, err := c.OpenSource(t.Context(), someFlow, sourcesOf(nil, "orders.x", "order.y"), connectors.SourceOptions{})
	check(t, "order.y", err, `no stream holds "order.y" on nats://127.0.0.1:`)
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != connectors.Environment || e.Spec != 1 || !strings.Contains(e.Help, "ORDERS (orders.* orders.eu.>)") || strings.Contains(e.Help, "FLOW_LEDGER") {
		t.Errorf("expected help with the streams, found %+v", e)
	}
	empty, _ := link(t, startEmbedded(t), nil)
	_, err = empty.OpenSource(t.Context(), someFlow, sourcesOf(nil, "orders.x"), connectors.SourceOptions{})
	if e, ok := errors.AsType[*connectors.Error](err); !ok || !strings.Contains(e.Help, `nats stream add NAME --subjects SUBJECTS`) {
		t.Errorf("expected help to make a stream, found %+v", err)
	}
}

func TestAvoid(t *testing.T) {
	c, js := somePlaces(t)
	users, err := js.Stream(t.Context(), "USERS")
	if err != nil {
		t.Fatal(err)
	}
	created := users.CachedInfo().Created.UnixNano()
	for _, v := range []struct {
		name, source string
		target       connectors.Target
		left, err    string
	}{
		{"elsewhere", "orders.>", connectors.Target{Stream: "V1", Subject: "v1.x", Account: c.account}, "ORDERS=orders.>", ""},
		{"captured by the source", "orders.>", connectors.Target{Stream: "orders", Subject: "orders.v1", Account: c.account, Key: "subject"}, "", `the source stream ORDERS captures the destination "orders.v1" by its subject "orders.*"`},
		{"another account", "orders.>", connectors.Target{Stream: "orders", Subject: "orders.v1", Account: "other"}, "ORDERS=orders.>", ""},
		{"one of two", ">", connectors.Target{Stream: "USERS", Subject: "users.x", Account: c.account, Created: created}, "ORDERS=>", ""},
		{"the only one", "users.>", connectors.Target{Stream: "USERS", Subject: "users.x", Account: c.account, Created: created}, "", "feed itself"},
		{"same name, another stream", "users.>", connectors.Target{Stream: "USERS", Subject: "v1.x", Account: "other", Created: created + 1}, "USERS=users.>", ""},
	} {
		t.Run(v.name, func(t *testing.T) {
			s := openSource(t, c, connectors.SourceOptions{}, sourcesOf(nil, v.source)...)
			err := s.Avoid([]connectors.Target{v.target})
			check(t, v.name, err, v.err)
			if err != nil {
				if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Class != connectors.Refused || e.Help == "" || e.Role != connectors.SinkRole {
					t.Errorf("expected a refusal with help, found %#v", err)
				}
				return
			}
			if got := namesOf(s); got != v.left {
				t.Errorf("expected %q to be left, found %q", v.left, got)
			}
		})
	}
}
