package exec_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func (w *world) bucket(name string) jetstream.KeyValue {
	w.t.Helper()
	w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}})
	kv, err := w.js.CreateKeyValue(w.t.Context(), jetstream.KeyValueConfig{Bucket: name, History: 5})
	if err != nil {
		w.t.Fatal(err)
	}
	return kv
}

func (w *world) put(kv jetstream.KeyValue, key, value string) {
	w.t.Helper()
	if _, err := kv.PutString(w.t.Context(), key, value); err != nil {
		w.t.Fatal(err)
	}
}

func TestABucketIsAChangeStream(t *testing.T) {
	w := newWorld(t)
	kv := w.bucket("app")
	if _, err := kv.Create(t.Context(), "users.1", []byte(`{"name":"Ann"}`)); err != nil {
		t.Fatal(err)
	}
	w.put(kv, "users.1", `{"name":"Anne"}`)
	w.put(kv, "users.2", `{"name":"Bob"}`)
	if err := kv.Delete(t.Context(), "users.1"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(`flow orders from nats kv "app" epoch 1000/200ms
		where msg.key != "users.2"
		to nats stream "OUT" subject "out.<resource>.<1>"`); err != nil {
		t.Fatal(err)
	}
	want := []string{`{"name":"Ann"} insert`, `{"name":"Anne"} update`, `{"name":null} delete`}
	var got []string
	for i, body := range w.bodies("OUT") {
		m := w.messages("OUT")[i]
		got = append(got, body+" "+m.Header.Get("Flow-Operation"))
		if m.Subject != "out.app.users.1" || !strings.HasSuffix(string(m.Data), `,"_flow_key":"users.1"}`) {
			t.Errorf("expected the key in the subject and the body, found %s on %s", m.Data, m.Subject)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("expected %q, found %q", want, got)
	}
}

func TestAKeyIsAColumnThatCanBeSelected(t *testing.T) {
	w := newWorld(t)
	kv := w.bucket("app")
	w.put(kv, "users.1", `{"name":"Ann"}`)
	if _, err := w.drain(`flow orders from nats kv "app" epoch 1000/200ms select { key: msg.key, _flow_key, ..., _flow_operation }
		to nats stream "OUT" subject "out.x" envelope headers`); err != nil {
		t.Fatal(err)
	}
	m := w.messages("OUT")[0]
	if got, want := string(m.Data), `{"key":"users.1","_flow_key":"users.1","name":"Ann","_flow_operation":"update"}`; got != want {
		t.Errorf("expected %s, found %s", want, got)
	}
	if got := m.Header.Get("Flow-Source-Key"); got != "users.1" {
		t.Errorf("expected the key among the headers, found %q", m.Header)
	}
}

// Values that are no objects are bytes; a removal has none.
func TestABucketOfPlainValues(t *testing.T) {
	w := newWorld(t)
	kv := w.bucket("app")
	w.put(kv, "a", "42")
	w.put(kv, "b", "hello")
	w.put(kv, "c", "")
	if err := kv.Purge(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(`flow orders from nats kv "app" epoch 1000/200ms to nats stream "OUT" subject "out.x"`); err != nil {
		t.Fatal(err)
	}
	// The purge took the first value of its key away with it.
	if got, want := w.bodies("OUT"), []string{`{"payload":"aGVsbG8="}`, `{"payload":""}`, `{"payload":null}`}; !slices.Equal(got, want) {
		t.Errorf("expected %q, found %q", want, got)
	}
}

func TestABucketThatHoldsBoth(t *testing.T) {
	w := newWorld(t)
	kv := w.bucket("app")
	w.put(kv, "a", `{"v":1}`)
	w.put(kv, "b", "hello")
	_, err := w.drain(`flow orders from nats kv "app" epoch 1000/200ms to nats stream "OUT" subject "out.x"`)
	if err == nil || !strings.Contains(err.Error(), "sequence 2") {
		t.Errorf("expected a bad row, found %v", err)
	}
}
