package nats

import (
	"fmt"
	"testing"

	"github.com/flowlang/flow/connectors"
)

// orderEvents are rows of about 200 bytes.
func orderEvents(b *testing.B, n int) connectors.Batch {
	bodies := make([]string, n)
	for i := range bodies {
		bodies[i] = fmt.Sprintf(`{"id":"o-%06d","customer":"c-%04d","amount":%d.25,"qty":%d,"country":"DE","placed_at":"2024-05-17T12:34:56.789Z","tags":["new","web"],"note":"a short text that makes the event longer"}`, i, i%997, i%500, i%7)
	}
	return batchOf(b, 1, bodies...)
}

func benchmarkSink(b *testing.B, envelope string) *sink {
	c, _ := link(b, startEmbedded(b), nil)
	s := openSink(b, c, ordersTo("V1", "v1.<resource>", connectors.Settings{"envelope": envelope}))
	begin(b, s, 1)
	return s
}

const benchmarkRows = 1000

func reportRows(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchmarkRows), "ns/row")
}

// BenchmarkEncode makes the frames of an epoch of 1000 rows.
func BenchmarkEncode(b *testing.B) {
	for _, envelope := range []string{"body", "headers", "none"} {
		b.Run(envelope, func(b *testing.B) {
			s := benchmarkSink(b, envelope)
			batch := orderEvents(b, benchmarkRows)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Prepare(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
			}
			reportRows(b)
		})
	}
}

// BenchmarkApply publishes epochs of 1000 rows to a server in the process.
func BenchmarkApply(b *testing.B) {
	s := benchmarkSink(b, "body")
	batch := orderEvents(b, benchmarkRows)
	b.ReportAllocs()
	for b.Loop() {
		for i := range batch.Messages {
			batch.Messages[i].Sequence += benchmarkRows // so that none is a duplicate
		}
		apply(b, s, batch)
	}
	reportRows(b)
}

// BenchmarkParseAck reads an acknowledgement as servers write it.
func BenchmarkParseAck(b *testing.B) {
	data := []byte(`{"stream":"ORDERS_V1","seq":123456789}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := parsePlainAck(data, "ORDERS_V1"); !ok {
			b.Fatal("it was not read")
		}
	}
}

// BenchmarkCommit writes the same epochs as batches with a marker.
func BenchmarkCommit(b *testing.B) {
	c, _ := link(b, startEmbedded(b), nil)
	tx := marked(b, openTransaction(b, c, onceTo("V1", "v1.orders", nil)))
	batch := orderEvents(b, benchmarkRows-1)
	b.ReportAllocs()
	for b.Loop() {
		prepareAll(b, tx, batch)
		if _, _, err := tx.Commit(b.Context(), sealed(0)); err != nil {
			b.Fatal(err)
		}
	}
	reportRows(b)
}
