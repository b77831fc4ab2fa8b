package exec_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// someFlow is the flow of the tests' file.
var someFlow = connectors.Identity{Namespace: "default", Flow: "orders"}

// connect opens a connection beside those of the flow.
func (w *world) connect() connectors.Connection {
	w.t.Helper()
	kind := nats.Kind()
	settings := connectors.Settings{"url": []string{w.server.URL()}}
	kind.Connection.Complete(settings)
	conn, err := kind.Open(w.t.Context(), "beside", settings, func(connectors.Notice) {})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(conn.Close)
	return conn
}

func (w *world) ledger() connectors.Ledger {
	w.t.Helper()
	return w.ledgerOf(w.connect())
}

// ledgerOf is the flow's ledger on a connection.
func (w *world) ledgerOf(conn connectors.Connection) connectors.Ledger {
	w.t.Helper()
	ledger, err := conn.FindLedger(w.t.Context(), someFlow)
	if err != nil || ledger == nil {
		w.t.Fatalf("no ledger: %v", err)
	}
	return ledger
}

// history is the flow's chain, from the oldest record that the ledger holds.
func (w *world) history(ledger connectors.Ledger) []exec.Record {
	w.t.Helper()
	var all []exec.Record
	for e, err := range exec.History(w.t.Context(), ledger) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, e.Record)
	}
	slices.Reverse(all)
	return all
}

const smallEpochs = `from nats "orders.>" epoch 10/200ms to nats stream "OUT" subject "out.v1"`

func (w *world) mustDrain(text string) {
	w.t.Helper()
	if _, err := w.drain(text); err != nil {
		w.t.Fatal(err)
	}
}

func TestHistoryIsTheChain(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 25)
	w.mustDrain(smallEpochs)
	w.publishIDs(26, 27)
	w.mustDrain(smallEpochs)
	ledger := w.ledger()
	got, want := w.history(ledger), w.records()
	if len(got) != 6 || !slices.EqualFunc(got, want, func(a, b exec.Record) bool {
		return a.Kind == b.Kind && a.Attempt == b.Attempt && a.State.Epoch == b.State.Epoch && a.Written.Equal(b.Written)
	}) {
		t.Errorf("expected %+v, found %+v", want, got)
	}
	for _, epoch := range []uint64{1, 2, 3, 4} {
		e, err := exec.Certificate(t.Context(), ledger, epoch)
		if err != nil || e.State.Epoch != epoch || e.Epoch == nil {
			t.Errorf("epoch %d: found %+v, %v", epoch, e, err)
		}
	}
	for _, epoch := range []uint64{0, 5} {
		if e, err := exec.Certificate(t.Context(), ledger, epoch); err == nil {
			t.Errorf("epoch %d: found %+v", epoch, e)
		}
	}
}

func TestHistoryBeginsWhereTheLedgerDoes(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 25)
	w.mustDrain(smallEpochs)
	ledger := w.ledger()
	s, err := w.js.Stream(t.Context(), "FLOW_LEDGER")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context(), jetstream.WithPurgeSubject("flow.ledger.default.orders.epoch"), jetstream.WithPurgeKeep(2)); err != nil {
		t.Fatal(err)
	}
	if got := w.history(ledger); len(got) != 2 || got[0].State.Epoch != 2 {
		t.Errorf("expected the epochs 2 and 3, found %+v", got)
	}
	_, err = exec.Certificate(t.Context(), ledger, 1)
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Help != "it reaches from epoch 2 to 3" {
		t.Errorf("expected to be told what there is, found %#v", err)
	}
}

func TestHistoryOfDamage(t *testing.T) {
	for name, record := range map[string]string{
		"no JSON":          `{`,
		"of a newer flowc": `{"format":9}`,
		"turns in circles": `{"format":1,"kind":"claim","previous":7}`,
		"leads elsewhere":  `{"format":1,"kind":"claim","previous":1}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ledger, err := w.connect().OpenLedger(t.Context(), someFlow)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ledger.Append(t.Context(), "spec", 0, []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
			if _, err := ledger.Append(t.Context(), "epoch", 0, []byte(record)); err != nil {
				t.Fatal(err)
			}
			steps := 0
			var failed error
			for _, err := range exec.History(t.Context(), ledger) {
				if failed = err; steps > 2 {
					break
				}
				steps++
			}
			if failed == nil {
				t.Errorf("expected an error within two records, found none in %d", steps)
			}
		})
	}
}

func TestResetSchema(t *testing.T) {
	w := newWorld(t)
	w.plain()
	w.publishIDs(1, 3)
	w.mustDrain(plainFlow)
	ledger := w.ledger()
	before, err := exec.KeptSchemas(t.Context(), ledger)
	if err != nil || len(before) != 1 || before[0].Resource != "orders" {
		t.Fatalf("found %+v, %v", before, err)
	}
	e, err := exec.ResetSchema(t.Context(), ledger, "orders")
	if err != nil || e.Kind != exec.ResetRecord || e.State.Epoch != 1 || len(e.State.Positions) != 1 {
		t.Fatalf("found %+v, %v", e, err)
	}
	if kept, err := exec.KeptSchemas(t.Context(), ledger); err != nil || len(kept) != 0 {
		t.Errorf("expected no schema, found %+v, %v", kept, err)
	}
	if old, err := exec.SchemaOf(t.Context(), ledger, "orders", before[0].Version); err != nil || !old.Schema.Equal(before[0].Schema) {
		t.Errorf("expected the old version to be there, found %+v, %v", old, err)
	}
	if _, err := exec.ResetSchema(t.Context(), ledger, "orders"); err == nil {
		t.Error("a schema that is not kept was reset")
	}
	w.publish("orders.a", `{"id":"four"}`)
	w.mustDrain(plainFlow)
	if bodies := w.messages("OUT"); len(bodies) != 4 {
		t.Errorf("expected that reading went on, found %d messages", len(bodies))
	}
	checkResets(t, w.history(ledger))
}

// checkResets makes sure that attempts grow with claims and resets, and epochs with
// certificates.
func checkResets(t *testing.T, records []exec.Record) {
	t.Helper()
	for i, r := range records[1:] {
		before := records[i]
		if r.Kind == exec.CertificateRecord {
			if r.Attempt != before.Attempt || r.Owner.ID != before.Owner.ID || r.State.Epoch != before.State.Epoch+1 {
				t.Errorf("certificate %d does not follow %+v", r.State.Epoch, before)
			}
		} else if r.Attempt != before.Attempt+1 || r.State.Epoch != before.State.Epoch {
			t.Errorf("%s %d does not follow %+v", r.Kind, r.Attempt, before)
		}
	}
}

func TestResetSupersedesARunningOwner(t *testing.T) {
	w := newWorld(t)
	w.plain()
	owner := w.start(plainFlow)
	w.publishIDs(1, 3)
	eventually(t, "an epoch is certified", func() bool { return owner.count(exec.Certified) > 0 })
	ledger := w.ledger()
	if _, err := exec.ResetSchema(t.Context(), ledger, "orders"); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(4, 6)
	eventually(t, "the owner notices", owner.ended)
	if !errors.Is(owner.err, connectors.ErrSuperseded) || !strings.Contains(owner.err.Error(), "which reset a schema") {
		t.Errorf("the owner ended with %v", owner.err)
	}
	w.mustDrain(plainFlow)
	if ids := w.ids("OUT"); !slices.Equal(ids, upTo(6)) {
		t.Errorf("OUT holds %v", ids)
	}
	checkResets(t, w.history(ledger))
}

func TestARunningOwnerSeesItsRecordsGone(t *testing.T) {
	for name, busy := range map[string]bool{"idle": false, "busy": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.plain()
			owner := w.start(plainFlow)
			w.publishIDs(1, 3)
			eventually(t, "an epoch is certified", func() bool { return owner.count(exec.Certified) > 0 })
			conn := w.connect()
			remains, err := conn.Remains(t.Context(), someFlow)
			if err != nil {
				t.Fatal(err)
			}
			if _, running := remains.InUse(); !running {
				t.Errorf("expected that the owner shows, found %+v", remains)
			}
			if err := conn.Remove(t.Context(), someFlow, remains); err != nil {
				t.Fatal(err)
			}
			if busy {
				w.publishIDs(4, 6)
			}
			eventually(t, "the owner notices", owner.ended)
			if owner.err == nil || !strings.Contains(owner.err.Error(), "has lost this flow's records while it ran") {
				t.Errorf("the owner ended with %v", owner.err)
			}
		})
	}
}
