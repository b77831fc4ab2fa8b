package expression

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

const benchRows = 1000

// usual are the expressions that must not allocate per row.
var usual = []string{
	`(amount ?? 0) > 10 and country in ["DE","FR"]`,
	`amount * qty + 1 > 20`,
	`country == "DE"`,
	`cust.address.city != "Bern" or cust.tier startsWith "g"`,
	`qty % 2 == 0 ? amount > 1 : paid`,
	`len(name) > 2 and name contains "9"`,
	`"x" in tags or 2 not in scores`,
	`placed_at > "2024-01-01" and msg.sequence > 100`,
}

func benchBatch(t testing.TB) arrow.RecordBatch {
	rows := make([]string, benchRows)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":%d,"amount":%d.5,"qty":%d,"country":%q,"name":"name-%d","paid":true,
			"placed_at":"2024-05-31T08:00:00Z","tags":["a","b"],"scores":[1,2],"cust":{"tier":"gold","address":{"city":"Bern","zip":1}}}`,
			i, i%50, i%7, []string{"DE", "FR", "US"}[i%3], i)
		if i%10 == 0 {
			rows[i] = fmt.Sprintf(`{"id":%d}`, i)
		}
	}
	return batchOf(t, orderSchema, rows...)
}

func TestUsualExpressionsDoNotAllocate(t *testing.T) {
	batch := benchBatch(t)
	keep := make([]bool, benchRows)
	for _, text := range usual {
		p := mustCompile(t, text, testEnvironment)
		allocations := testing.AllocsPerRun(5, func() {
			for i := range keep {
				keep[i] = true
			}
			if err := p.Filter(batch, fixedEnvelope{}, keep, nil); err != nil {
				t.Fatal(err)
			}
		})
		if perRow := allocations / benchRows; perRow >= 0.1 {
			t.Errorf("%s: %.2f allocations a row", text, perRow)
		}
	}
	for _, text := range []string{`amount * qty`, `country`, `qty > 1`, `cust.tier ?? "none"`} {
		p := mustCompile(t, text, testEnvironment)
		allocations := testing.AllocsPerRun(5, func() {
			column, err := p.Column(batch, fixedEnvelope{}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			column.Release()
		})
		if perRow := allocations / benchRows; perRow >= 0.1 {
			t.Errorf("%s: %.2f allocations a row", text, perRow)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	batch := benchBatch(b)
	keep := make([]bool, benchRows)
	for _, text := range usual {
		b.Run(text, func(b *testing.B) {
			p := mustCompile(b, text, testEnvironment)
			b.ReportAllocs()
			for b.Loop() {
				for i := range keep {
					keep[i] = true
				}
				if err := p.Filter(batch, fixedEnvelope{}, keep, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}

// BenchmarkMachine runs expr's virtual machine over the same rows, with one map
// for all of them, for comparison with the first case of BenchmarkFilter.
func BenchmarkMachine(b *testing.B) {
	batch := benchBatch(b)
	row := map[string]any{"amount": 1.5, "country": ""}
	program, err := expr.Compile(usual[0], expr.Env(row))
	if err != nil {
		b.Fatal(err)
	}
	amounts := batch.Column(1).(*array.Float64)
	countries := batch.Column(3).(*array.String)
	machine := vm.VM{}
	b.ReportAllocs()
	for b.Loop() {
		for i := range benchRows {
			row["amount"], row["country"] = amounts.Value(i), countries.Value(i)
			if _, err := machine.Run(program, row); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func BenchmarkColumn(b *testing.B) {
	batch := benchBatch(b)
	for _, text := range []string{`amount * qty`, `country + "-" + name`, `sha256(name)`} {
		b.Run(text, func(b *testing.B) {
			p := mustCompile(b, text, testEnvironment)
			b.ReportAllocs()
			for b.Loop() {
				column, err := p.Column(batch, fixedEnvelope{}, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				column.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
		})
	}
}
