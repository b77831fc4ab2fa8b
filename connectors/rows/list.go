package rows

import "github.com/apache/arrow-go/v18/arrow"

// listColumn holds lists: where each ends, and all their elements in one column.
type listColumn struct {
	nullable bool
	valid    bitmap
	offsets  []int32 // one more than there are lists
	elements column
}

func newListColumn(t Type) *listColumn {
	return &listColumn{nullable: t.Nullable, offsets: []int32{0}, elements: newColumn(*t.Elem)}
}

func (c *listColumn) append(r *reader) bool {
	start, err := r.json.ReadToken()
	if err != nil {
		return false
	}
	switch start.Kind() {
	case 'n':
		c.appendNull()
		return c.nullable
	case '[':
	default:
		return false
	}
	for r.json.PeekKind() != ']' {
		if !c.elements.append(r) {
			return false
		}
	}
	if _, err := r.json.ReadToken(); err != nil {
		return false
	}
	c.finish(true)
	return true
}

func (c *listColumn) appendNull() { c.finish(false) }

func (c *listColumn) finish(valid bool) {
	c.offsets = append(c.offsets, int32(c.elements.len()))
	c.valid.append(valid)
}

func (c *listColumn) len() int { return c.valid.n }

func (c *listColumn) truncate(n int) {
	c.offsets = c.offsets[:n+1]
	c.elements.truncate(int(c.offsets[n]))
	c.valid.truncate(n)
}

func (c *listColumn) data(t arrow.DataType) arrow.ArrayData {
	elements := c.elements.data(t.(*arrow.ListType).Elem())
	defer elements.Release()
	return newData(t, &c.valid, []arrow.ArrayData{elements}, arrow.GetBytes(c.offsets))
}

func (c *listColumn) adapt(t Type) column {
	adapted := *c
	adapted.elements = c.elements.adapt(*t.Elem)
	return &adapted
}
