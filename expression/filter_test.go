package expression

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// nullSchema is what three orders make, two of which lack nearly everything.
var nullSchema = arrow.NewSchema([]arrow.Field{
	nullableColumn("id", arrow.PrimitiveTypes.Int64),
	nullableColumn("amount", arrow.PrimitiveTypes.Int64),
	nullableColumn("cust", arrow.StructOf(nullableColumn("tier", arrow.BinaryTypes.String))),
	nullableColumn("name", arrow.BinaryTypes.String),
}, nil)

var nullRows = []string{
	`{"id":1,"amount":5,"cust":{"tier":"gold"},"name":"xy"}`,
	`{"id":2}`,
	`{"id":3,"amount":null,"cust":null,"name":null}`,
}

func filterText(t *testing.T, text string, batch arrow.RecordBatch, schema *arrow.Schema) ([]bool, error) {
	t.Helper()
	e, problems := Parse(text)
	if e == nil {
		t.Fatal(renderProblems(text, problems))
	}
	p, problems := e.CompileFilter(Environment{Schema: schema})
	if p == nil {
		t.Fatal(renderProblems(text, problems))
	}
	keep := slices.Repeat([]bool{true}, int(batch.NumRows()))
	return keep, p.Filter(batch, fixedEnvelope{}, keep, nil)
}

func TestFilterTakesWhatIsTrue(t *testing.T) {
	batch := batchOf(t, nullSchema, nullRows...)
	for text, want := range map[string][]bool{
		`amount > 0`:          {true, false, false},
		`cust.tier == "gold"`: {true, false, false},
		`name contains "x"`:   {true, false, false},
		`amount <= 0`:         {false, false, false},
		`amount != 5`:         {false, false, false},
		`not (amount > 0)`:    {false, false, false},
		`amount == nil`:       {false, true, true},
		`cust.tier == nil`:    {false, true, true},
		`(amount ?? 0) < 1`:   {false, true, true},
		`nil`:                 {false, false, false},
		`true`:                {true, true, true},
		`any(1..id, # == 2)`:  {false, true, true},
	} {
		if got, err := filterText(t, text, batch, nullSchema); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s keeps %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestFilterKeepsWhatIsLeft(t *testing.T) {
	batch := batchOf(t, nullSchema, nullRows...)
	p := mustCompile(t, `id / (id - 1) > 0`, Environment{Schema: nullSchema})
	keep := []bool{false, true, false}
	if err := p.Filter(batch, nil, keep, nil); err != nil || !slices.Equal(keep, []bool{false, true, false}) {
		t.Errorf("keeps %v, %v: rows dropped before must not be evaluated", keep, err)
	}
	keep[0] = true
	row, ok := errors.AsType[*RowError](p.Filter(batch, nil, keep, nil))
	if !ok || row.Row != 0 || row.Message != "division by zero" {
		t.Errorf("error is %v, want a division by zero in row 0", row)
	}
	if err := p.Filter(batch, nil, keep[:1], nil); err == nil {
		t.Error("a filter with too few flags succeeded")
	}
}

func TestSlicedBatch(t *testing.T) {
	batch := batchOf(t, nullSchema, nullRows[1], nullRows[0], nullRows[2])
	slice := batch.NewSlice(1, 3)
	defer slice.Release()
	for _, text := range []string{`cust.tier == "gold"`, `cust == {tier: "gold"}`, `name == "xy" and id == 1`} {
		if got, err := filterText(t, text, slice, nullSchema); err != nil || !slices.Equal(got, []bool{true, false}) {
			t.Errorf("%s keeps %v, %v", text, got, err)
		}
	}
}

func TestSlicedLists(t *testing.T) {
	batch := batchOf(t, orderSchema, `{"id":1,"scores":[9]}`, `{"id":2,"scores":[1,2],"tags":["a"],"items":[{"sku":"b"}]}`)
	slice := batch.NewSlice(1, 2)
	defer slice.Release()
	for _, text := range []string{`2 in scores and 9 not in scores`, `"a" in tags`, `scores == [1, 2]`, `items[0].sku == "b"`, `len(scores) == 2`} {
		if got, err := filterText(t, text, slice, orderSchema); err != nil || !got[0] {
			t.Errorf("%s keeps %v, %v", text, got, err)
		}
	}
}

func TestColumnOfKeptRows(t *testing.T) {
	batch := batchOf(t, nullSchema, nullRows...)
	p := mustCompile(t, `9 % (id - 2)`, Environment{Schema: nullSchema}) // fails for id 2
	column, err := p.Column(batch, nil, []bool{true, false, true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer column.Release()
	if got := column.(*array.Int64); got.Len() != 3 || got.Value(0) != 0 || !got.IsNull(1) || got.Value(2) != 0 {
		t.Errorf("column is %v, want 0, null and 0", got)
	}
	if _, err := p.Column(batch, nil, []bool{true}, nil); err == nil {
		t.Error("flags for another number of rows were taken")
	}
}

func TestRowsWithoutAValueArePassedOver(t *testing.T) {
	batch := batchOf(t, nullSchema, nullRows...)
	var failed []int
	passOver := func(err *RowError) bool {
		failed = append(failed, err.Row)
		return true
	}
	keep := []bool{true, true, true}
	p := mustCompile(t, `9 % (id - 2) == 0`, Environment{Schema: nullSchema})
	if err := p.Filter(batch, nil, keep, passOver); err != nil || !slices.Equal(keep, []bool{true, false, true}) {
		t.Errorf("keeps %v, %v", keep, err)
	}
	column, err := mustCompile(t, `9 % (id - 2)`, Environment{Schema: nullSchema}).Column(batch, nil, nil, passOver)
	if err != nil {
		t.Fatal(err)
	}
	defer column.Release()
	if column.Len() != 3 || !slices.Equal(failed, []int{1, 1}) {
		t.Errorf("column has %d rows, passed over %v", column.Len(), failed)
	}
	stop := func(*RowError) bool { return false }
	if err := p.Filter(batch, nil, []bool{true, true, true}, stop); err == nil {
		t.Error("a fault that was not taken is no error")
	}
}

func TestBatchOfAnotherSchema(t *testing.T) {
	p := mustCompile(t, `cust.tier == "gold"`, Environment{Schema: nullSchema})
	other := arrow.NewSchema([]arrow.Field{nullableColumn("id", arrow.PrimitiveTypes.Int64)}, nil)
	if err := p.Filter(batchOf(t, other, `{"id":1}`), nil, []bool{true}, nil); err == nil {
		t.Error("a batch without the column succeeded")
	}
}

func TestProgramIsConcurrent(t *testing.T) {
	batch := batchOf(t, orderSchema, fullRow, emptyRow)
	p := mustCompile(t, `any(items, .qty > 1) and country in ["DE"] and name matches name`, testEnvironment)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				keep := []bool{true, true}
				if err := p.Filter(batch, fixedEnvelope{}, keep, nil); err != nil || !keep[0] || keep[1] {
					t.Errorf("keeps %v, %v", keep, err)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestTypes(t *testing.T) {
	for text, want := range map[string]string{
		`id`:                    "int",
		`id + 1.5`:              "float",
		`{a: id, b: [country]}`: "{ a: int, b: [string] }",
		`price`:                 "decimal",
		`doc.a`:                 "json",
		`due`:                   "date",
		`open`:                  "nil",
		`map(items, .qty)`:      "[int]",
		`open ?? items[0].sku`:  "string",
	} {
		p := mustCompile(t, text, testEnvironment)
		if got := p.result.typ.String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
		if back, err := fromArrow(p.Field("x")); err != nil || !back.equal(p.result.typ) {
			t.Errorf("%s: its field is %s, %v", text, back, err)
		}
	}
	for text, want := range map[string]bool{`id`: false, `amount`: true, `amount ?? 1`: false, `id + 1`: false, `id == nil`: false, `cust.tier`: true} {
		if got := mustCompile(t, text, testEnvironment).Nullable(); got != want {
			t.Errorf("%s: nullable is %v, want %v", text, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	e, _ := Parse(`日 == 1 and 1 < x < 3 and $env["job-id"] == param.env and msg.subject contains cust.tier and len(len) > 0 and msg.headers["X"] == f(_flow_time)`)
	var got []string
	for _, r := range e.Columns() {
		got = append(got, e.Text()[r.Start:r.End]+" "+[]string{"column", "param", "message"}[r.Kind])
	}
	want := []string{"日 column", "x column", `"job-id" column`, "env param", "subject message", "cust column",
		"len column", "headers message", "_flow_time column"}
	if !slices.Equal(got, want) {
		t.Errorf("columns are %q, want %q", got, want)
	}
}
