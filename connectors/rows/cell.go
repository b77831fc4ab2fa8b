package rows

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/go-json-experiment/json/jsontext"
)

// cell writes the values of one Arrow array as JSON.
type cell interface {
	// bind makes values the array to read from; its type is the one that the
	// cell was made for.
	bind(values arrow.Array) error
	// isNull reports whether value i of the bound array is null.
	isNull(i int) bool
	// append appends value i, which is not null.
	append(dst []byte, i int) []byte
}

func newCell(f arrow.Field) (cell, error) {
	switch t := f.Type.(type) {
	case *arrow.NullType:
		return nullCell{}, nil
	case *arrow.BooleanType:
		return &typedCell[*array.Boolean]{put: putBool}, nil
	case *arrow.Int64Type:
		return &typedCell[*array.Int64]{put: putInt}, nil
	case *arrow.Uint64Type:
		return &typedCell[*array.Uint64]{put: putUint}, nil
	case *arrow.Float64Type:
		return &typedCell[*array.Float64]{put: putFloat, check: checkFinite}, nil
	case *arrow.StringType:
		if kind, _ := f.Metadata.GetValue(TypeKey); kind == Decimal.String() || kind == JSON.String() {
			return &typedCell[*array.String]{put: putVerbatim}, nil
		}
		return &typedCell[*array.String]{put: putString}, nil
	case *arrow.BinaryType:
		return &typedCell[*array.Binary]{put: putBase64}, nil
	case *arrow.Date32Type:
		return &typedCell[*array.Date32]{put: putDate}, nil
	case *arrow.TimestampType:
		if t.Unit == arrow.Nanosecond {
			return &typedCell[*array.Timestamp]{put: putTimestamp}, nil
		}
	case *arrow.ListType:
		return newListCell(t)
	case *arrow.StructType:
		return newRecordCell(t)
	}
	return nil, fmt.Errorf("column %s: expected a type that has a JSON form, found %s", plainName(f.Name), f.Type)
}

// nullCell is the cell of a column that has nothing but nulls.
type nullCell struct{}

func (nullCell) bind(arrow.Array) error          { return nil }
func (nullCell) isNull(int) bool                 { return true }
func (nullCell) append(dst []byte, _ int) []byte { return dst }

// typedCell is a cell of a type without elements or members.
type typedCell[A arrow.Array] struct {
	values A
	put    func(dst []byte, values A, i int) []byte
	check  func(values A) error
}

func (c *typedCell[A]) bind(values arrow.Array) error {
	c.values = values.(A)
	if c.check == nil {
		return nil
	}
	return c.check(c.values)
}

func (c *typedCell[A]) isNull(i int) bool { return c.values.IsNull(i) }

func (c *typedCell[A]) append(dst []byte, i int) []byte { return c.put(dst, c.values, i) }

func putBool(dst []byte, values *array.Boolean, i int) []byte {
	return strconv.AppendBool(dst, values.Value(i))
}

func putInt(dst []byte, values *array.Int64, i int) []byte {
	return strconv.AppendInt(dst, values.Value(i), 10)
}

func putUint(dst []byte, values *array.Uint64, i int) []byte {
	return strconv.AppendUint(dst, values.Value(i), 10)
}

func putFloat(dst []byte, values *array.Float64, i int) []byte {
	return jsontext.AppendFloat(dst, values.Value(i), 64)
}

func checkFinite(values *array.Float64) error {
	for i, v := range values.Float64Values() {
		if (math.IsInf(v, 0) || math.IsNaN(v)) && values.IsValid(i) {
			return fmt.Errorf("expected finite numbers, found %v at index %d", v, i)
		}
	}
	return nil
}

func putString(dst []byte, values *array.String, i int) []byte {
	// The error is about invalid UTF-8, which no string column holds.
	dst, _ = jsontext.AppendQuote(dst, values.Value(i))
	return dst
}

func putVerbatim(dst []byte, values *array.String, i int) []byte {
	return append(dst, values.Value(i)...)
}

func putBase64(dst []byte, values *array.Binary, i int) []byte {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, values.Value(i))
	return append(dst, '"')
}

func putDate(dst []byte, values *array.Date32, i int) []byte {
	return appendTime(dst, values.Value(i).ToTime(), time.DateOnly)
}

func putTimestamp(dst []byte, values *array.Timestamp, i int) []byte {
	return appendTime(dst, time.Unix(0, int64(values.Value(i))).UTC(), time.RFC3339Nano)
}

func appendTime(dst []byte, t time.Time, layout string) []byte {
	dst = append(dst, '"')
	dst = t.AppendFormat(dst, layout)
	return append(dst, '"')
}
