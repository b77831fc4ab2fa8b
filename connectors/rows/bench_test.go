package rows

import (
	"fmt"
	"testing"
)

const batchRows = 1000

// orderEvents gives messages of about 200 bytes, as a shop would publish them.
func orderEvents() [][]byte {
	events := make([][]byte, batchRows)
	for i := range events {
		events[i] = fmt.Appendf(nil, `{"id":"ord-%06d","amount":%d.%02d,"qty":%d,"country":"%s","placed_at":"2024-05-%02dT12:%02d:00Z",`+
			`"customer":{"id":%d,"tier":"gold"},"tags":["web","promo"],"paid":%t,"note":null}`,
			i, i%500, i%100, i%7+1, []string{"DE", "FR", "NL"}[i%3], i%28+1, i%60, 1000+i, i%2 == 0)
	}
	return events
}

func decodeBatch(tb testing.TB, d *Decoder, events [][]byte) {
	for _, e := range events {
		if err := d.Append(e); err != nil {
			tb.Fatal(err)
		}
	}
}

func encodeBatch(tb testing.TB, d *Decoder, e *Encoder, dst []byte) []byte {
	batch := d.Batch()
	defer batch.Release()
	if err := e.Bind(batch); err != nil {
		tb.Fatal(err)
	}
	for i := range d.Len() {
		dst = append(dst, '{')
		dst = e.AppendMembers(dst, i)
		dst = append(dst, '}')
	}
	return dst
}

func warmDecoder(tb testing.TB, events [][]byte) (*Decoder, *Encoder) {
	d := NewDecoder(Schema{})
	decodeBatch(tb, d, events)
	e, err := NewEncoder(d.Schema().Arrow())
	if err != nil {
		tb.Fatal(err)
	}
	return d, e
}

func size(events [][]byte) int64 {
	n := 0
	for _, e := range events {
		n += len(e)
	}
	return int64(n)
}

func BenchmarkDecode(b *testing.B) {
	events := orderEvents()
	d, _ := warmDecoder(b, events)
	b.SetBytes(size(events))
	b.ReportAllocs()
	for b.Loop() {
		d.Reset(d.Schema())
		decodeBatch(b, d, events)
		d.Batch().Release()
	}
	reportRows(b)
}

func BenchmarkEncode(b *testing.B) {
	events := orderEvents()
	d, e := warmDecoder(b, events)
	dst := encodeBatch(b, d, e, nil)
	b.SetBytes(size(events))
	b.ReportAllocs()
	for b.Loop() {
		dst = encodeBatch(b, d, e, dst[:0])
	}
	reportRows(b)
}

func reportRows(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*batchRows), "ns/row")
}

// TestAllocations holds decoding, with the batch's arrays, and encoding to
// less than one allocation in ten rows.
func TestAllocations(t *testing.T) {
	events := orderEvents()
	d, e := warmDecoder(t, events)
	dst := encodeBatch(t, d, e, nil)
	tests := map[string]func(){
		"decode": func() {
			d.Reset(d.Schema())
			decodeBatch(t, d, events)
			d.Batch().Release()
		},
		"encode": func() { dst = encodeBatch(t, d, e, dst[:0]) },
	}
	for name, run := range tests {
		if got := testing.AllocsPerRun(10, run) / batchRows; got >= 0.1 {
			t.Errorf("%s: expected less than 0.1 allocations a row, found %v", name, got)
		}
	}
}
