package exec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	"github.com/nats-io/nats.go/jetstream"
)

const copyFlow = `flow orders from nats kv "app" epoch 1000/200ms
	select { id: msg.key, name } to nats kv "copy" key "<id>"`

// TestABucketIsCopied puts and deletes what was put and deleted.
func TestABucketIsCopied(t *testing.T) {
	w := newWorld(t)
	kv := w.bucket("app")
	w.put(kv, "users.1", `{"name":"Ann"}`)
	w.put(kv, "users.2", `{"name":"Bob"}`)
	w.put(kv, "users.1", `{"name":"Anne"}`)
	if err := kv.Delete(t.Context(), "users.2"); err != nil {
		t.Fatal(err)
	}
	_, err := w.drain(copyFlow)
	if fault, ok := errors.AsType[*exec.RowFault](err); !ok || !strings.Contains(fault.Error(), "the value \"users.1\" has a dot") {
		t.Fatalf("a hole takes one token: %v", err)
	}
	flow := strings.Replace(copyFlow, "id: msg.key", `id: replace(msg.key, ".", "-")`, 1)
	if _, err := w.drain(flow); err != nil {
		t.Fatal(err)
	}
	got, err := w.js.KeyValue(t.Context(), "copy")
	if err != nil {
		t.Fatal(err)
	}
	if e, err := got.Get(t.Context(), "users-1"); err != nil || string(e.Value()) != `{"id":"users-1","name":"Anne"}` {
		t.Errorf("found %v, %v", e, err)
	}
	if _, err := got.Get(t.Context(), "users-2"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("a deletion was not copied: %v", err)
	}
	// The bucket keeps one value a key: what newer ones replaced is neither missing nor fine.
	found := w.verify()
	expectCounts(t, found, exec.RowCounts{Rows: 4, Found: 2, Removed: 2})
	if found.Faulty() {
		t.Errorf("found %+v", found)
	}
}

func TestABucketThatFeedsItself(t *testing.T) {
	for _, source := range []string{`kv "app"`, `"$KV.app.users.>"`} {
		file, found := lang.Parse(&lang.Source{Name: "a.flow", Text: `from nats ` + source + ` as app select { id: msg.key } to nats kv "app" key "<id>"`})
		_, more := planner.Compile([]*lang.File{file}, planner.Options{Kinds: []connectors.Kind{nats.Kind()}})
		if found = append(found, more...); !strings.Contains(found.Error(), "would read what it writes") {
			t.Errorf("%s: found %v", source, found)
		}
	}
}

// TestSeveralSinksAreAllCertified writes each row to a stream and to a bucket; where one
// of them fails nothing is acknowledged.
func TestSeveralSinksAreAllCertified(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	out := w.stream(jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.>"}, MaxMsgs: 2, Discard: jetstream.DiscardNew})
	w.publishIDs(1, 3)
	const flow = `from nats "orders.>" schema { id: int } epoch 1000/200ms
		to nats kv "state" key "order.<id>"
		to nats stream "OUT" subject "out.v1"
		on error retry 1 backoff 1ms..1ms then stop`
	_, err := w.drain(flow)
	if err == nil || !connectors.Retryable(err) || w.consumer("ORDERS").AckFloor.Stream != 0 {
		t.Fatalf("found %v, acknowledged up to %d", err, w.consumer("ORDERS").AckFloor.Stream)
	}
	config := out.CachedInfo().Config
	config.MaxMsgs = -1
	if _, err := w.js.UpdateStream(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(flow); err != nil {
		t.Fatal(err)
	}
	if got := w.ids("OUT"); !slices.Equal(got, upTo(3)) || w.consumer("ORDERS").AckFloor.Stream != 3 {
		t.Errorf("OUT holds %v", got)
	}
	if n := len(w.messages("KV_state")); n != 3 {
		t.Errorf("the bucket holds %d messages", n)
	}
	if found := w.verify(); !found.Complete() || found.Rows != 6 {
		t.Errorf("found %+v", found)
	}
}

// TestKeysOfSeveralTokensAreCopied takes the whole key that the source's wildcard matched.
func TestKeysOfSeveralTokensAreCopied(t *testing.T) {
	w := newWorld(t)
	kv := w.bucket("app")
	w.put(kv, "users.eu.1", `{"name":"Ann"}`)
	w.put(kv, "users.eu.2", `{"name":"Bob"}`)
	if err := kv.Purge(t.Context(), "users.eu.2"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.drain(`flow orders from nats kv "app" epoch 1000/200ms to nats kv "copy" key "<1>" envelope none`); err != nil {
		t.Fatal(err)
	}
	got, err := w.js.KeyValue(t.Context(), "copy")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := got.Keys(t.Context())
	if err != nil || !slices.Equal(keys, []string{"users.eu.1"}) {
		t.Errorf("found the keys %v, %v", keys, err)
	}
	if e, err := got.Get(t.Context(), "users.eu.1"); err != nil || string(e.Value()) != `{"name":"Ann"}` {
		t.Errorf("found %v, %v", e, err)
	}
}
