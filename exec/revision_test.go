package exec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

const revisionFlow = `from nats "orders.>" schema { id: int, rev: int } epoch 1000/200ms
	to nats kv "state" key "<id>" revision "<rev>"
	to nats stream "OUT" subject "out.v1"
	on error retry 3 backoff 1ms..1ms then dead letter to nats subject "dead.<resource>"`

// A row whose key has another revision goes to no sink, and is a dead letter that says
// what was there. An epoch that is written and not certified is no reason to refuse its
// own rows.
func TestRevisionsOfKeys(t *testing.T) {
	w := newWorld(t)
	w.plain()
	kv := w.bucket("state")
	w.put(kv, "1", "one")
	w.put(kv, "2", "two")
	w.publish("orders.a", `{"id":1,"rev":1}`, `{"id":2,"rev":1}`, `{"id":3,"rev":0}`, `{"id":1,"rev":0}`)
	totals, err := w.drainWith(revisionFlow, beforeCertificate(func(number int) error {
		if number == 1 {
			return connectors.Errorf(connectors.Transient, "a time-out")
		}
		return nil
	}))
	if err != nil || totals.Bad != 2 || totals.Read != 4 {
		t.Fatalf("found %+v, %v", totals, err)
	}
	if got := w.ids("OUT"); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("OUT holds %v", got)
	}
	for key, want := range map[string]string{"1": `"rev":1`, "2": "two", "3": `"rev":0`} {
		if e, err := kv.Get(t.Context(), key); err != nil || !strings.Contains(string(e.Value()), want) {
			t.Errorf("%s: expected %s, found %v, %v", key, want, e, err)
		}
	}
	var reasons []string
	for _, l := range w.messages("FLOW_DEAD") {
		reasons = append(reasons, l.Header.Get("Flow-Source")+": "+l.Header.Get("Flow-Error"))
	}
	slices.Sort(reasons)
	if len(reasons) != 2 || !strings.Contains(reasons[0], `ORDERS/2: the key "2" is expected to have revision 1, and it has revision 2`) || !strings.Contains(reasons[1], `ORDERS/4: `) {
		t.Errorf("found %q", reasons)
	}
	records := w.records()
	receipts := records[len(records)-1].Epoch.Receipts
	if i := slices.IndexFunc(receipts, func(r connectors.Receipt) bool { return r.Stream == "KV_state" }); i < 0 || receipts[i].Rows != 2 || receipts[i].Duplicates != 2 {
		t.Errorf("found %+v", receipts)
	}
	if found := w.verify(); !found.Complete() || found.Rows != 4 {
		t.Errorf("found %+v", found)
	}
}

func TestAnotherRevisionStopsAFlowThatKeepsNoBadRows(t *testing.T) {
	w := newWorld(t)
	w.plain()
	kv := w.bucket("state")
	w.put(kv, "1", "one")
	w.publish("orders.a", `{"id":1,"rev":0}`)
	_, err := w.drain(`from nats "orders.>" schema { id: int, rev: int } epoch 1000/200ms to nats kv "state" key "<id>" revision "<rev>"`)
	if err == nil || connectors.Retryable(err) || !strings.Contains(err.Error(), `the key "1" is expected to be new, and it has revision 1`) || !strings.Contains(err.Error(), "ORDERS") {
		t.Errorf("found %v", err)
	}
	if e, err := kv.Get(t.Context(), "1"); err != nil || string(e.Value()) != "one" {
		t.Errorf("found %v, %v", e, err)
	}
	if _, err := kv.Get(t.Context(), "2"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Error(err)
	}
}
