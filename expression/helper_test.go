package expression

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func nullableColumn(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

func flagged(name, flag string) arrow.Field {
	return arrow.Field{Name: name, Type: arrow.BinaryTypes.String, Nullable: true,
		Metadata: arrow.NewMetadata([]string{TypeKey}, []string{flag})}
}

// orderSchema has a column of every type, and names that are awkward.
var orderSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	nullableColumn("amount", arrow.PrimitiveTypes.Float64),
	nullableColumn("qty", arrow.PrimitiveTypes.Int64),
	nullableColumn("country", arrow.BinaryTypes.String),
	nullableColumn("name", arrow.BinaryTypes.String),
	nullableColumn("paid", arrow.FixedWidthTypes.Boolean),
	nullableColumn("raw", arrow.BinaryTypes.Binary),
	nullableColumn("placed_at", arrow.FixedWidthTypes.Timestamp_ns),
	nullableColumn("due", arrow.FixedWidthTypes.Date32),
	flagged("price", "decimal"),
	flagged("doc", "json"),
	nullableColumn("tags", arrow.ListOf(arrow.BinaryTypes.String)),
	nullableColumn("scores", arrow.ListOf(arrow.PrimitiveTypes.Int64)),
	nullableColumn("cust", arrow.StructOf(
		nullableColumn("tier", arrow.BinaryTypes.String),
		nullableColumn("address", arrow.StructOf(nullableColumn("city", arrow.BinaryTypes.String), nullableColumn("zip", arrow.PrimitiveTypes.Int64))))),
	nullableColumn("items", arrow.ListOf(arrow.StructOf(nullableColumn("sku", arrow.BinaryTypes.String), nullableColumn("qty", arrow.PrimitiveTypes.Int64)))),
	nullableColumn("open", arrow.Null),
	nullableColumn("count", arrow.PrimitiveTypes.Int64),
	nullableColumn("len", arrow.PrimitiveTypes.Int64),
	nullableColumn("type", arrow.BinaryTypes.String),
	nullableColumn("date", arrow.BinaryTypes.String),
	nullableColumn("in", arrow.PrimitiveTypes.Int64),
	nullableColumn("not", arrow.FixedWidthTypes.Boolean),
	nullableColumn("job-id", arrow.BinaryTypes.String),
	nullableColumn("msg", arrow.BinaryTypes.String),
}, nil)

// fullRow has a value in every column but open.
const fullRow = `{"id":1,"amount":12.5,"qty":3,"country":"DE","name":"日本語","paid":true,"raw":"AQI=",
	"placed_at":"2024-05-31T08:00:00Z","due":"2024-06-01","price":"10.10","doc":"{\"a\":{\"b\":[1,2.5,\"x\"]},\"n\":9223372036854775808}",
	"tags":["x","y",null],"scores":[3,1,2],"cust":{"tier":"gold","address":{"city":"Bern","zip":3000}},
	"items":[{"sku":"a","qty":2},{"sku":"b","qty":null}],"count":3,"len":9,"type":"refund","date":"2024-01-02","in":1,"not":true,"job-id":"x","msg":"hi"}`

// emptyRow has nothing but an id.
const emptyRow = `{"id":2}`

// batchOf makes a batch from JSON objects.
func batchOf(t testing.TB, schema *arrow.Schema, rows ...string) arrow.RecordBatch {
	t.Helper()
	batch, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("["+strings.Join(rows, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(batch.Release)
	return batch
}

// fixedEnvelope gives every row the same values.
type fixedEnvelope struct{}

func (fixedEnvelope) Subject(int) string         { return "orders.eu.created" }
func (fixedEnvelope) Stream(int) string          { return "ORDERS" }
func (fixedEnvelope) Sequence(row int) uint64    { return uint64(row) + 100 }
func (fixedEnvelope) Time(int) time.Time         { return time.Date(2024, 5, 31, 9, 0, 0, 0, time.UTC) }
func (fixedEnvelope) Operation(int) string       { return "insert" }
func (fixedEnvelope) EventID(int) string         { return "e1" }
func (fixedEnvelope) Key(row int) (string, bool) { return "users.1", row == 0 }
func (fixedEnvelope) Header(_ int, name string) (string, bool) {
	return "h", name == "X"
}

var testEnvironment = Environment{
	Schema: orderSchema,
	Params: map[string]Param{
		"min":  {Field: arrow.Field{Name: "min", Type: arrow.PrimitiveTypes.Float64}, Value: 10.0},
		"env":  {Field: arrow.Field{Name: "env", Type: arrow.BinaryTypes.String}, Value: "dev"},
		"zone": {Field: arrow.Field{Name: "zone", Type: arrow.BinaryTypes.String}, Value: "Europe/Zurich"},
		"none": {Field: arrow.Field{Name: "none", Type: arrow.BinaryTypes.String}},
	},
	Now: func() time.Time { return time.Date(2024, 5, 31, 10, 0, 0, 0, time.UTC) },
}

// compileText parses and compiles, and gives all problems.
func compileText(text string, env Environment) (*Program, []Problem) {
	e, problems := Parse(text)
	if e == nil || failed(problems) {
		return nil, problems
	}
	return e.Compile(env)
}

func mustCompile(t testing.TB, text string, env Environment) *Program {
	t.Helper()
	p, problems := compileText(text, env)
	if p == nil {
		t.Fatalf("%s: %s", text, renderProblems(text, problems))
	}
	return p
}

// valueOf computes an expression for one row, as JSON.
func valueOf(t testing.TB, text, row string) (string, error) {
	t.Helper()
	p := mustCompile(t, text, testEnvironment)
	column, err := p.Column(batchOf(t, orderSchema, row), fixedEnvelope{}, nil, nil)
	if err != nil {
		return "", err
	}
	defer column.Release()
	if got, want := column.DataType(), p.Type(); !arrow.TypeEqual(got, want) {
		t.Errorf("%s: column is %s, the program said %s", text, got, want)
	}
	value := read(p.result.typ, column, 0)
	if value == nil && !p.Nullable() {
		t.Errorf("%s: null, but the program said that it never is", text)
	}
	return string(appendJSON(nil, p.result.typ, value)), nil
}

// renderProblems shows problems as a person would see them.
func renderProblems(text string, problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		severity := "error"
		if p.Warning {
			severity = "warning"
		}
		fmt.Fprintf(&b, "%s (%s): %s\n", severity, p.Kind, p.Message)
		fmt.Fprintf(&b, " | %s\n", text)
		carets := strings.Repeat("^", max(1, len([]rune(text[p.Start:p.End]))))
		fmt.Fprintf(&b, " | %s%s", strings.Repeat(" ", len([]rune(text[:p.Start]))), carets)
		if p.Label != "" {
			fmt.Fprintf(&b, " %s", p.Label)
		}
		b.WriteByte('\n')
		if p.Help != "" {
			fmt.Fprintf(&b, " = help: %s\n", p.Help)
		}
		if p.Suggestion != "" {
			fmt.Fprintf(&b, " = suggestion: %s\n", p.Suggestion)
		}
	}
	return b.String()
}
