package nats

import (
	"testing"

	"github.com/flowlang/flow/connectors"
)

// Every message of an epoch has its own envelope, but no allocations of its own.
func TestEncodingAllocatesByTheBatch(t *testing.T) {
	for _, envelope := range []string{"body", "headers", "none"} {
		c, _ := link(t, startEmbedded(t), nil)
		s := openSink(t, c, ordersTo("V1", "v1.<resource>", connectors.Settings{"envelope": envelope}))
		begin(t, s, 1)
		const n = 1000
		batch := numbered(t, 1, n)
		allocations := testing.AllocsPerRun(5, func() {
			if err := s.Prepare(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
		})
		if allocations > n/10 {
			t.Errorf("envelope %s: expected at most %d allocations for %d rows, found %.0f", envelope, n/10, n, allocations)
		}
	}
}
