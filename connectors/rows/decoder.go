package rows

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Decoder turns the messages of one resource into rows. It is not safe for
// concurrent use.
type Decoder struct {
	schema Schema
	arrow  *arrow.Schema // of schema; nil until a batch needs it
	row    *recordColumn
	reader *reader
	bytes  int // of the messages in the batch

	objectsOnly bool
}

// NewDecoder gives a decoder without rows. A zero schema lets the first
// message fix one. The schema must be valid; one read from JSON is.
func NewDecoder(schema Schema) *Decoder {
	d := &Decoder{reader: newReader()}
	d.use(schema)
	return d
}

// RefuseRaw makes a message that is no JSON object a RowError also where it would
// be the first one: only objects fix the shape then.
func (d *Decoder) RefuseRaw() { d.objectsOnly = true }

func (d *Decoder) use(schema Schema) {
	d.schema = schema
	d.arrow = nil
	if schema.Shape == Raw {
		d.row = newRawColumn(0)
		return
	}
	d.row = newRowColumn(schema.root())
}

// newRawColumn gives the row of a Raw schema with n nulls.
func newRawColumn(n int) *recordColumn {
	payload := Column{Name: payloadColumn, Type: Type{Kind: Bytes, Nullable: true, Inferred: true}}
	raw := &recordColumn{nullable: true}
	raw.add([]Column{payload}, 0)
	for range n {
		raw.appendNull()
	}
	return raw
}

// Append makes one message a row. When it returns an error, a *RowError or
// ErrFull, the row is not there and the schema is as before. The caller may
// reuse message afterwards.
func (d *Decoder) Append(message []byte) error {
	if d.bytes+len(message) > math.MaxInt32 {
		return ErrFull
	}
	if err := d.append(message); err != nil {
		return err
	}
	d.bytes += len(message)
	return nil
}

func (d *Decoder) append(message []byte) error {
	switch d.schema.Shape {
	case Undetermined:
		if !d.objectsOnly && !d.reader.isObject(message) {
			d.schema = Schema{Shape: Raw}
			d.arrow = nil
			d.row = newRawColumn(d.row.len())
			d.row.appendRaw(message)
			return nil
		}
	case Raw:
		if d.reader.isObject(message) {
			return &RowError{
				Reason:   "expected a payload that is no JSON object, as the first message's, found an object",
				Expected: "raw bytes", Found: "object", Help: helpShape,
			}
		}
		d.row.appendRaw(message)
		return nil
	case Object:
		if d.fits(d.row, message) {
			return nil
		}
	}
	return d.grow(message)
}

// fits appends message to row as it is, or leaves row as it was.
func (d *Decoder) fits(row *recordColumn, message []byte) bool {
	before := row.len()
	d.reader.reset(message)
	if row.append(d.reader) && d.reader.end() == nil {
		return true
	}
	row.truncate(before)
	return false
}

// grow finds the schema that admits message and appends it to columns of that
// schema. The present columns stay untouched until that has worked.
func (d *Decoder) grow(message []byte) error {
	known := d.schema.root()
	grown, rowError := infer(d.reader, message, known, d.schema.Shape == Undetermined)
	if rowError != nil {
		return rowError
	}
	row := d.row.adaptRecord(grown)
	if !d.fits(row, message) {
		return &RowError{
			Reason: "expected objects with most of their members, found too many that miss too many",
			Help:   "declare the field that holds them as `json` in a `schema { ... }` clause",
		}
	}
	d.row = row
	d.schema.Shape = Object
	d.schema.Columns = grown.Fields
	d.arrow = nil
	return nil
}

// AppendNull appends a row of nulls, such as a delete marker, also where the
// schema declares that a column has none. It fixes no shape.
func (d *Decoder) AppendNull() {
	for i := range d.row.members {
		d.row.members[i].appendNull()
	}
	d.row.valid.append(true)
}

// Len is the number of rows since the last Reset.
func (d *Decoder) Len() int { return d.row.len() }

// Schema is the schema after the rows so far.
func (d *Decoder) Schema() Schema { return d.schema }

// Batch lends the rows so far, without copying them. The batch is valid until
// the next Append, AppendNull or Reset; the caller releases it before that.
func (d *Decoder) Batch() arrow.RecordBatch {
	if d.arrow == nil {
		d.arrow = d.schema.Arrow()
	}
	columns := make([]arrow.Array, len(d.row.members))
	for i := range columns {
		data := d.row.members[i].data(d.arrow.Field(i).Type)
		columns[i] = array.MakeFromData(data)
		data.Release()
	}
	batch := array.NewRecordBatch(d.arrow, columns, int64(d.Len()))
	for _, c := range columns {
		c.Release()
	}
	return batch
}

// Reset forgets the rows and goes on with schema: the one that was certified,
// or the one certified before when an epoch failed. Buffers are kept if the
// schema is the present one.
func (d *Decoder) Reset(schema Schema) {
	d.bytes = 0
	if schema.Equal(d.schema) {
		d.row.truncate(0)
		return
	}
	d.use(schema)
}
