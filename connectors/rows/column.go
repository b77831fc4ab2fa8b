package rows

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// column holds the values of one column, element or member in the layout that
// Arrow gives its type, so that an array is a view of it.
//
// A column never reports why a value does not fit: inference reads the message
// again and does, or finds the type that admits it.
type column interface {
	// append reads one JSON value. On false the value does not fit as the
	// column is, and the column must be truncated before it is used again.
	append(r *reader) bool
	// appendNull appends a null whether the type allows it or not.
	appendNull()
	len() int
	truncate(n int)
	// data gives a view that holds until the column is changed. The caller
	// releases it.
	data(t arrow.DataType) arrow.ArrayData
	// adapt gives a column of type t with the same values. Inference only ever
	// gives an open type a kind, makes Int Float, and adds members. Both share
	// memory: the old column may be used again only if the new one is not.
	adapt(t Type) column
}

func newColumn(t Type) column {
	switch t.Kind {
	case Bool:
		return &boolColumn{nullable: t.Nullable}
	case Int:
		return newIntColumn(t)
	case Float:
		return &fixedColumn[float64]{parse: readFloat, nullable: t.Nullable}
	case Timestamp:
		return &fixedColumn[int64]{parse: readTimestamp, nullable: t.Nullable}
	case Date:
		return &fixedColumn[int32]{parse: readDate, nullable: t.Nullable}
	case String:
		return newTextColumn(t, appendText)
	case Bytes:
		return newTextColumn(t, appendBase64)
	case Decimal:
		return newTextColumn(t, appendDecimal)
	case JSON:
		return newTextColumn(t, appendJSON)
	case List:
		return newListColumn(t)
	case Record:
		return newRecordColumn(t)
	default:
		return &openColumn{}
	}
}

// nulls gives a column of n nulls.
func nulls(t Type, n int) column {
	c := newColumn(t)
	for range n {
		c.appendNull()
	}
	return c
}

// newData wraps a column's buffers as Arrow data without copying them.
func newData(t arrow.DataType, valid *bitmap, children []arrow.ArrayData, buffers ...[]byte) arrow.ArrayData {
	wrapped := make([]*memory.Buffer, 1+len(buffers))
	if valid.zeros > 0 {
		wrapped[0] = memory.NewBufferBytes(valid.bits)
	}
	for i, b := range buffers {
		wrapped[1+i] = memory.NewBufferBytes(b)
	}
	return array.NewData(t, valid.n, wrapped, children, valid.zeros, 0)
}
