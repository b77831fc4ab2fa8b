package rows

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/go-json-experiment/json/jsontext"
)

func appendCell(dst []byte, c cell, i int) []byte {
	if c.isNull(i) {
		return append(dst, "null"...)
	}
	return c.append(dst, i)
}

// cellMember is a member of a row or record with its key, `"name":`.
type cellMember struct {
	key    []byte
	sparse bool // left out where it is null
	cell   cell
}

func newMembers(fields []arrow.Field) ([]cellMember, error) {
	members := make([]cellMember, len(fields))
	names := make(map[string]bool, len(fields))
	for i, f := range fields {
		if names[f.Name] {
			return nil, fmt.Errorf("expected every column name once, found %s again", plainName(f.Name))
		}
		names[f.Name] = true
		key, err := jsontext.AppendQuote(nil, f.Name)
		if err != nil {
			return nil, fmt.Errorf("expected a column name in UTF-8, found %s", plainName(f.Name))
		}
		c, err := newCell(f)
		if err != nil {
			return nil, err
		}
		_, sparse := f.Metadata.GetValue(SparseKey)
		members[i] = cellMember{key: append(key, ':'), sparse: sparse, cell: c}
	}
	return members, nil
}

func appendMembers(dst []byte, members []cellMember, i int) []byte {
	first := true
	for j := range members {
		m := &members[j]
		if m.sparse && m.cell.isNull(i) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, m.key...)
		dst = appendCell(dst, m.cell, i)
	}
	return dst
}

type listCell struct {
	values   *array.List
	elements cell
}

func newListCell(t *arrow.ListType) (cell, error) {
	elements, err := newCell(t.ElemField())
	if err != nil {
		return nil, err
	}
	return &listCell{elements: elements}, nil
}

func (c *listCell) bind(values arrow.Array) error {
	c.values = values.(*array.List)
	return c.elements.bind(c.values.ListValues())
}

func (c *listCell) isNull(i int) bool { return c.values.IsNull(i) }

func (c *listCell) append(dst []byte, i int) []byte {
	dst = append(dst, '[')
	start, end := c.values.ValueOffsets(i)
	for j := start; j < end; j++ {
		if j > start {
			dst = append(dst, ',')
		}
		dst = appendCell(dst, c.elements, int(j))
	}
	return append(dst, ']')
}

type recordCell struct {
	values  *array.Struct
	members []cellMember
}

func newRecordCell(t *arrow.StructType) (cell, error) {
	members, err := newMembers(t.Fields())
	if err != nil {
		return nil, err
	}
	return &recordCell{members: members}, nil
}

func (c *recordCell) bind(values arrow.Array) error {
	c.values = values.(*array.Struct)
	for i, m := range c.members {
		if err := m.cell.bind(c.values.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *recordCell) isNull(i int) bool { return c.values.IsNull(i) }

func (c *recordCell) append(dst []byte, i int) []byte {
	dst = append(dst, '{')
	dst = appendMembers(dst, c.members, i)
	return append(dst, '}')
}
