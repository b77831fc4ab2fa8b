package exec_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/flowlang/flow/exec"
	"github.com/nats-io/nats.go/jetstream"
)

const exactFlow = `from nats "orders.>" epoch 1000/200ms to nats stream "V1" subject "v1.orders" exactly once`

// marker is the newest one in a stream.
func (w *world) marker(stream string) *jetstream.RawStreamMsg {
	w.t.Helper()
	s, err := w.js.Stream(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := s.GetLastMsgForSubject(w.t.Context(), "flow.marker."+stream+".default.orders.0")
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// rowIDs are the ids of the rows in a stream, in its order, without markers.
func (w *world) rowIDs(stream string) []int {
	w.t.Helper()
	var ids []int
	for _, m := range w.messages(stream) {
		if m.Header.Get("Flow-Marker") != "" {
			continue
		}
		var body struct{ ID int }
		if err := json.Unmarshal(m.Data, &body); err != nil {
			w.t.Fatal(err)
		}
		ids = append(ids, body.ID)
	}
	return ids
}

func TestExactlyOnce(t *testing.T) {
	w := newWorld(t)
	w.stream(jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.>"}})
	w.publishIDs(1, 10)
	totals, err := w.drain(exactFlow)
	if err != nil {
		t.Fatal(err)
	}
	if totals.Read != 10 || totals.Written != 10 || totals.Duplicates != 0 || totals.Epochs != 1 {
		t.Errorf("the totals are %+v", totals)
	}
	w.publishIDs(11, 15)
	if _, err := w.drain(exactFlow); err != nil {
		t.Fatal(err)
	}
	if ids := w.rowIDs("V1"); !slices.Equal(ids, upTo(15)) {
		t.Errorf("V1 holds %v", ids)
	}
	records := w.records()
	last := records[len(records)-1]
	if last.Kind != exec.CertificateRecord || last.State.Epoch != 2 || len(last.State.Markers) != 1 {
		t.Fatalf("the last record is %+v", last)
	}
	if named, there := last.State.Markers[0], w.marker("V1"); named.Sequence != there.Sequence || named.Subject != there.Subject || named.Stream != "V1" {
		t.Errorf("the ledger names %+v, and the marker has sequence %d", named, there.Sequence)
	}
	receipt := last.Epoch.Receipts[0]
	if receipt.Rows != 5 || receipt.Last-receipt.First != 4 || receipt.Last+1 != last.State.Markers[0].Sequence || receipt.CRC32C == 0 || receipt.Bytes == 0 || receipt.Created == 0 {
		t.Errorf("the receipt is %+v", receipt)
	}
	for _, m := range w.messages("V1") {
		if m.Sequence >= receipt.First && m.Sequence <= receipt.Last {
			if id := m.Header.Get("Flow-Event-Id"); !strings.HasPrefix(id, "ORDERS.") || m.Header.Get("Nats-Msg-Id") != "" {
				t.Errorf("sequence %d has the headers %v", m.Sequence, m.Header)
			}
		}
	}
	checkChain(t, records)
}
