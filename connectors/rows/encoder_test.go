package rows

import (
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func TestEncoderRefusesSchemas(t *testing.T) {
	for name, test := range map[string]struct {
		fields []arrow.Field
		want   string
	}{
		"a type without a JSON form":   {[]arrow.Field{{Name: "a", Type: arrow.FixedWidthTypes.Duration_s}}, "column a"},
		"a timestamp of another unit":  {[]arrow.Field{{Name: "a", Type: arrow.FixedWidthTypes.Timestamp_s}}, "timestamp"},
		"an element without JSON form": {[]arrow.Field{{Name: "a", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}}, "int8"},
		"a member without JSON form":   {[]arrow.Field{{Name: "a", Type: arrow.StructOf(arrow.Field{Name: "m", Type: arrow.PrimitiveTypes.Int8})}}, "column m"},
		"a name twice":                 {[]arrow.Field{{Name: "a", Type: arrow.Null}, {Name: "a", Type: arrow.Null}}, "a again"},
		"a name that is not UTF-8":     {[]arrow.Field{{Name: "\xff", Type: arrow.Null}}, "UTF-8"},
	} {
		if _, err := NewEncoder(arrow.NewSchema(test.fields, nil)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: expected an error with %q, found %v", name, test.want, err)
		}
	}
}

// floats gives a batch with a column "f" of floats and the same ones in lists.
func floats(values []float64, valid []bool) arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "f", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Float64), Nullable: true},
		{Name: "u", Type: arrow.PrimitiveTypes.Uint64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Float64Builder).AppendValues(values, valid)
	list := b.Field(1).(*array.ListBuilder)
	for i, v := range values {
		list.Append(true)
		list.ValueBuilder().(*array.Float64Builder).AppendValues([]float64{v}, valid[i:i+1])
		b.Field(2).(*array.Uint64Builder).Append(math.MaxUint64 - uint64(i))
	}
	return b.NewRecordBatch()
}

func TestEncoderRefusesBatches(t *testing.T) {
	e, err := NewEncoder(floats(nil, nil).Schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := e.Bind(floats([]float64{1, bad}, []bool{true, true})); err == nil || !strings.Contains(err.Error(), "column f: expected finite numbers") {
			t.Errorf("%v: expected an error about finite numbers, found %v", bad, err)
		}
		if err := e.Bind(floats([]float64{1, bad}, []bool{true, false})); err != nil {
			t.Errorf("%v under a null: %v", bad, err)
		}
	}
	d := NewDecoder(Schema{})
	accept(t, d, `{"f":1.5,"l":[1.5],"u":1}`)
	if err := e.Bind(d.Batch()); err == nil || !strings.Contains(err.Error(), "column u") {
		t.Errorf("expected an error about the type of u, found %v", err)
	}
	d = NewDecoder(Schema{})
	accept(t, d, `{"f":1.5}`)
	if err := e.Bind(d.Batch()); err == nil || !strings.Contains(err.Error(), "expected 3 columns, found 1") {
		t.Errorf("expected an error about the columns, found %v", err)
	}
}

func TestEncoderReadsSlices(t *testing.T) {
	batch := floats([]float64{1, 2.5, math.Copysign(0, -1), 0}, []bool{true, true, true, false}).NewSlice(1, 4)
	defer batch.Release()
	e, err := NewEncoder(batch.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Bind(batch); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{
		`>"f":2.5,"l":[2.5],"u":18446744073709551614`,
		`>"f":-0,"l":[-0],"u":18446744073709551613`,
		`>"f":null,"l":[null],"u":18446744073709551612`,
	} {
		if got := string(e.AppendMembers([]byte(">"), i)); got != want {
			t.Errorf("row %d: expected %s, found %s", i, want, got)
		}
	}
}

func TestEncoderReadsNestedSlices(t *testing.T) {
	d := NewDecoder(Schema{})
	accept(t, d, `{"n":{"a":1,"l":[{"b":"x"}]}}`, `{"n":{"a":2,"l":[{"b":"y"},null,{"b":"z"}]}}`, `{"n":null}`)
	batch := d.Batch().NewSlice(1, 3)
	defer batch.Release()
	e, err := NewEncoder(batch.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Bind(batch); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`"n":{"a":2,"l":[{"b":"y"},null,{"b":"z"}]}`, `"n":null`} {
		if got := string(e.AppendMembers(nil, i)); got != want {
			t.Errorf("row %d: expected %s, found %s", i, want, got)
		}
	}
}
