package rows

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// Encoder turns rows of one Arrow schema into JSON. It is not safe for
// concurrent use.
type Encoder struct {
	schema  *arrow.Schema
	members []cellMember
}

// NewEncoder gives an encoder for the types that Schema.Arrow makes, and for
// unsigned 64-bit integers. Every other type, and a name given twice, is an
// error.
func NewEncoder(schema *arrow.Schema) (*Encoder, error) {
	members, err := newMembers(schema.Fields())
	if err != nil {
		return nil, err
	}
	return &Encoder{schema: schema, members: members}, nil
}

// Bind makes batch the one that AppendMembers reads until the next Bind; the
// caller keeps it alive. A float that JSON has no number for, infinite or not
// a number, is an error here, so that appending cannot fail.
func (e *Encoder) Bind(batch arrow.RecordBatch) error {
	if int(batch.NumCols()) != len(e.members) {
		return fmt.Errorf("bind batch: expected %d columns, found %d", len(e.members), batch.NumCols())
	}
	for i, m := range e.members {
		field, column := e.schema.Field(i), batch.Column(i)
		if !arrow.TypeEqual(field.Type, column.DataType()) {
			return fmt.Errorf("bind batch: expected %s in column %s, found %s", field.Type, plainName(field.Name), column.DataType())
		}
		if err := m.cell.bind(column); err != nil {
			return fmt.Errorf("bind batch: column %s: %w", plainName(field.Name), err)
		}
	}
	return nil
}

// AppendMembers appends the members of one row to dst, without the braces, so
// that more members can stand beside them: `"a":1,"b":null`. It appends
// nothing for a row without members.
func (e *Encoder) AppendMembers(dst []byte, row int) []byte {
	return appendMembers(dst, e.members, row)
}
