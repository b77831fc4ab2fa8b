package planner_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/lang"
)

// manyLines is a file of more than ten thousand lines.
func manyLines() *lang.Source {
	var b strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&b, `flow f%[1]d
  from nats "orders%[1]d.>" as orders
  epoch 1000/1s
  where (amount ?? 0) > %[1]d and country in ["DE", "FR"]
  select { id, total: amount * 2, ... }
  to nats stream "OUT%[1]d" subject "out%[1]d.v1"

`, i)
	}
	return &lang.Source{Name: "many.flow", Text: b.String()}
}

func BenchmarkTenThousandLines(b *testing.B) {
	source := manyLines()
	for b.Loop() {
		if plan, found := compile(b, source); plan == nil {
			b.Fatal(found)
		}
	}
}

// A file that takes many times as long as the benchmark says has a loop over the
// pairs of its flows that is not cheap.
func TestTenThousandLinesTakeNoTime(t *testing.T) {
	began := time.Now()
	if plan, found := compile(t, manyLines()); plan == nil {
		t.Fatal(found)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("planning took %v", took)
	}
}
