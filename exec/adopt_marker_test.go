package exec_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

// cut runs a flow, and exits at a step that the test knows.
func (w *world) cut(ctx context.Context, text string, s *steps, options exec.Options) {
	w.t.Helper()
	bounded, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	options.UntilCaughtUp = true
	if _, err := exec.Run(bounded, w.steppedPlan(text, s), options); ctx.Err() == nil {
		w.t.Errorf("%s was not cut: %v", text, err)
	}
}

// cutBeforeCertificate exits with an epoch in the destination and without its certificate.
func (w *world) cutBeforeCertificate(text string) {
	w.t.Helper()
	ctx, exit := context.WithCancelCause(w.t.Context())
	committed := false
	w.cut(ctx, text, &steps{at: func(step string) error {
		committed = committed || step == "after commit V1"
		if committed && step == "before append epoch" {
			exit(errors.New("killed"))
		}
		return ctx.Err()
	}}, exec.Options{})
}

// The schema of an epoch that only its marker tells of is in the ledger of the old name.
// It goes along, over an adoption that ends before it has certified the epoch, too.
func TestTheSchemaOfAMarkerIsAdopted(t *testing.T) {
	t.Parallel()
	for _, marker := range []string{"", ` marker "v1marker"`} {
		for _, known := range []bool{false, true} {
			for _, between := range []string{"", "between", "orders"} {
				adoptTheSchemaOfAMarker(t, marker, known, between)
			}
		}
	}
}

// adoptTheSchemaOfAMarker begins with a certified epoch if a schema is to be known, and
// cuts an adoption under another name or under the last one, if there is one between.
func adoptTheSchemaOfAMarker(t *testing.T, marker string, known bool, between string) {
	what := fmt.Sprintf("marker %q, known %t, between %q", marker, known, between)
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "V1", Subjects: []string{"v1.>", "v1marker", "flow.marker.V1.>"}, AllowAtomicPublish: true, AllowRollup: true, Storage: jetstream.MemoryStorage})
	as := func(name string) string {
		return "flow " + name + ` from nats "orders.>" epoch 10/200ms to nats stream "V1" subject "v1.orders" exactly once` + marker
	}
	rows := 3
	w.publish("orders.a", `{"id":1,"note":null}`)
	if known {
		w.mustDrain(as("old"))
		rows = 2 // the first one's certificate stays under the old name
	}
	w.publish("orders.a", `{"id":2,"note":"x"}`)
	w.cutBeforeCertificate(as("old"))
	adopt := "old"
	if between != "" {
		ctx, s := killedAt(t.Context(), "after append epoch", 2) // the end of the old chain, and the claim
		w.cut(ctx, as(between), s, exec.Options{Adopt: "old", Replace: true})
		if between != "orders" {
			adopt = between
		}
	}
	w.publish("orders.a", `{"id":3,"note":"y"}`)
	if _, err := w.drainAs(as("orders"), exec.Options{Adopt: adopt, Replace: true}); err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(3)) {
		t.Errorf("%s: V1 holds %v", what, ids)
	}
	if found := w.verify(); !found.Complete() || found.Rows != rows {
		t.Errorf("%s: verification found %+v", what, found)
	}
	w.publish("orders.a", `{"id":4,"note":5}`)
	if _, err := w.drain(as("orders")); err == nil || !strings.Contains(err.Error(), "field note") {
		t.Errorf("%s: the schema was not adopted: %v", what, err)
	}
}

// A person who takes the destinations as they are gives up what is missing, and not what
// only a marker tells of: a new name finds it, and keeps out the former owner.
func TestAnAcceptedFlowIsAdoptedWithItsMarkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.stream(jetstream.StreamConfig{Name: "V1", Subjects: []string{"v1.>", "flow.marker.V1.>"}, AllowAtomicPublish: true, AllowRollup: true, Storage: jetstream.MemoryStorage})
	const to = ` from nats "orders.>" epoch 10/200ms to nats stream "V1" subject "v1.orders" exactly once`
	w.publishIDs(1, 5)
	w.mustDrain("flow orders" + to)
	w.publishIDs(6, 8)
	w.cutBeforeCertificate("flow orders" + to)
	if _, err := exec.AcceptDestinations(t.Context(), w.ledger()); err != nil {
		t.Fatal(err)
	}
	w.publishIDs(9, 10)
	if _, err := w.drainAs("flow renamed"+to, exec.Options{Adopt: "orders", Replace: true}); err != nil {
		t.Fatal(err)
	}
	if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(10)) {
		t.Errorf("V1 holds %v", ids)
	}
}
