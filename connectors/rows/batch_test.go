package rows

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

func TestRawMessages(t *testing.T) {
	for _, first := range []string{"", "[1,2]", "null", `"text"`, "42", `{"a":1}{"b":2}`, `{"a":1} trailing`, `{"a":1`, "NaN", "\ufeff{\"a\":1}", `{"a":1e400}`, "{\"a\":\"\xff\"}", `{"a":1,"a":2}`} {
		d := NewDecoder(Schema{})
		accept(t, d, first)
		if want := (Schema{Shape: Raw}); !d.Schema().Equal(want) {
			t.Errorf("%q: expected a raw schema, found %s", first, d.Schema())
		}
		d.Reset(d.Schema())
		d.AppendNull()
		accept(t, d, first, " ")
		batch := d.Batch()
		payload := batch.Column(0)
		if got := payload.ValueStr(1); payload.IsValid(0) || !payload.IsValid(1) || batch.NumRows() != 3 || batch.NumCols() != 1 {
			t.Errorf("%q: expected null and two payloads, found %v, %s", first, payload, got)
		}
		batch.Release()
		checkRaw(t, d, []byte(" "))
	}
}

func TestNullRows(t *testing.T) {
	d := NewDecoder(Schema{})
	d.AppendNull()
	if d.Schema().Shape != Undetermined || d.Len() != 1 {
		t.Errorf("expected one row and no shape, found %d, %s", d.Len(), d.Schema().Shape)
	}
	if got := encode(t, d); !slices.Equal(got, []string{"{}"}) {
		t.Errorf("expected a row without members, found %v", got)
	}
	accept(t, d, `{"a":1,"n":{"b":[2]}}`)
	d.AppendNull()
	want := []string{`{"a":null,"n":null}`, `{"a":1,"n":{"b":[2]}}`, `{"a":null,"n":null}`}
	if got := encode(t, d); !slices.Equal(got, want) {
		t.Errorf("expected %v, found %v", want, got)
	}

	d = NewDecoder(declared(typed("id", Int)))
	d.AppendNull()
	if got := encode(t, d); !slices.Equal(got, []string{`{"id":null}`}) {
		t.Errorf("expected a delete marker to be null in a column without nulls, found %v", got)
	}

	d = NewDecoder(Schema{})
	d.AppendNull()
	accept(t, d, "x")
	if got := encode(t, d); !slices.Equal(got, []string{`{"payload":null}`, `{"payload":"eA=="}`}) {
		t.Errorf("expected null and a payload, found %v", got)
	}
}

func TestFullBatch(t *testing.T) {
	d := NewDecoder(Schema{})
	accept(t, d, `{"a":1}`)
	d.bytes = math.MaxInt32 - 1
	if err := d.Append([]byte(`{"a":2}`)); !errors.Is(err, ErrFull) || d.Len() != 1 {
		t.Errorf("expected ErrFull and one row, found %v and %d", err, d.Len())
	}
	d.Reset(d.Schema())
	accept(t, d, `{"a":2}`)
}

func TestBatchTypes(t *testing.T) {
	schema := everyKind()
	schema.Columns = append(schema.Columns, Column{Name: "untyped", Type: inferredOpen})
	tagged := func(name string, t arrow.DataType, keys ...string) arrow.Field {
		var values []string
		for _, k := range keys {
			if k == TypeKey {
				values = append(values, name)
			} else {
				values = append(values, "true")
			}
		}
		return arrow.Field{Name: name, Type: t, Nullable: true, Metadata: arrow.NewMetadata(keys, values)}
	}
	want := arrow.NewSchema([]arrow.Field{
		tagged("bool", arrow.FixedWidthTypes.Boolean),
		tagged("int", arrow.PrimitiveTypes.Int64),
		tagged("float", arrow.PrimitiveTypes.Float64),
		tagged("string", arrow.BinaryTypes.String),
		tagged("bytes", arrow.BinaryTypes.Binary),
		tagged("timestamp", arrow.FixedWidthTypes.Timestamp_ns),
		tagged("date", arrow.FixedWidthTypes.Date32),
		tagged("decimal", arrow.BinaryTypes.String, TypeKey),
		tagged("json", arrow.BinaryTypes.String, TypeKey),
		tagged("list", arrow.ListOfField(tagged("item", arrow.FixedWidthTypes.Timestamp_ns))),
		tagged("record", arrow.StructOf(arrow.Field{Name: "d", Type: arrow.BinaryTypes.String, Nullable: true,
			Metadata: arrow.NewMetadata([]string{TypeKey}, []string{"decimal"})})),
		tagged("untyped", arrow.Null, SparseKey),
	}, nil)
	if got := schema.Arrow(); !got.Equal(want) {
		t.Fatalf("expected %s\nfound %s", want, got)
	}
	d := NewDecoder(schema)
	accept(t, d, `{}`, `{"list":[null,"2024-01-01T00:00:00Z"],"record":{"d":1}}`)
	batch := d.Batch()
	defer batch.Release()
	if !batch.Schema().Equal(want) || batch.NumRows() != 2 {
		t.Errorf("expected two rows of %s, found %v", want, batch)
	}
	wantNulls := map[string]int{}
	for _, f := range want.Fields() {
		wantNulls[f.Name] = 2
	}
	wantNulls["list"], wantNulls["record"] = 1, 1
	for i, c := range batch.Columns() {
		if name := want.Field(i).Name; c.Len() != 2 || c.NullN() != wantNulls[name] {
			t.Errorf("column %s: expected 2 rows, %d null, found %v", name, wantNulls[name], c)
		}
	}
}

// A batch lends the decoder's own memory: the next batch overwrites it.
func TestBuffersAreReused(t *testing.T) {
	d := NewDecoder(Schema{})
	accept(t, d, `{"a":1,"s":"x"}`, `{"a":2,"s":"y"}`)
	first := d.Batch()
	values := first.Column(0).Data().Buffers()[1].Bytes()
	first.Release()
	d.Reset(d.Schema())
	accept(t, d, `{"a":3,"s":"z"}`)
	second := d.Batch()
	defer second.Release()
	if again := second.Column(0).Data().Buffers()[1].Bytes(); &values[0] != &again[0] {
		t.Error("expected the second batch in the memory of the first")
	}
	if got := encode(t, d); !slices.Equal(got, []string{`{"a":3,"s":"z"}`}) {
		t.Errorf("expected the second batch's row only, found %v", got)
	}
}
