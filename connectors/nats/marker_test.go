package nats

import (
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
)

func TestReceiptsOfAMarkerGetTheirSequences(t *testing.T) {
	var m connectors.Marker
	err := readMarker(107, []byte(`{"format":1,"batch":"b","messages":7,"certificate":{"x":1},"receipts":[{"stream":"V1","rows":4,"first":1,"last":4},{"rows":2,"duplicates":2},{"rows":2,"first":5,"last":6}]}`), &m)
	if err != nil {
		t.Fatal(err)
	}
	var ends []uint64
	for _, r := range m.Receipts {
		ends = append(ends, r.First, r.Last)
	}
	if want := []uint64{101, 104, 0, 0, 105, 106}; !slices.Equal(ends, want) || m.Sequence != 107 || string(m.Content) != `{"x":1}` || m.Batch != "b" {
		t.Errorf("expected %v, found %v of %+v", want, ends, m)
	}
}

// FuzzMarker reads whatever somebody wrote on a marker's subject.
func FuzzMarker(f *testing.F) {
	f.Add(uint64(7), []byte(`{"format":1,"batch":"b","messages":7,"certificate":{},"receipts":[{"first":1,"last":4}]}`))
	f.Add(uint64(0), []byte(`{"format":1,"messages":-9,"receipts":[{"first":18446744073709551615}]}`))
	f.Add(uint64(1), []byte(`{"format":2}`))
	f.Add(uint64(1), []byte("\xff"))
	f.Fuzz(func(t *testing.T, sequence uint64, data []byte) {
		var m connectors.Marker
		if err := readMarker(sequence, data, &m); err != nil {
			if err.Help == "" || m.Sequence != 0 {
				t.Errorf("%q: %v, with %+v", data, err, m)
			}
			return
		}
		if m.Sequence != sequence {
			t.Errorf("%q: expected sequence %d, found %d", data, sequence, m.Sequence)
		}
	})
}
