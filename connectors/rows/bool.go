package rows

import "github.com/apache/arrow-go/v18/arrow"

// boolColumn holds truth values, one bit each.
type boolColumn struct {
	nullable bool
	valid    bitmap
	values   bitmap
}

func (c *boolColumn) append(r *reader) bool {
	value, err := r.json.ReadValue()
	if err != nil {
		return false
	}
	switch value.Kind() {
	case 't', 'f':
		c.values.append(value.Kind() == 't')
		c.valid.append(true)
		return true
	case 'n':
		c.appendNull()
		return c.nullable
	default:
		return false
	}
}

func (c *boolColumn) appendNull() {
	c.values.append(false)
	c.valid.append(false)
}

func (c *boolColumn) len() int { return c.valid.n }

func (c *boolColumn) truncate(n int) {
	c.values.truncate(n)
	c.valid.truncate(n)
}

func (c *boolColumn) data(t arrow.DataType) arrow.ArrayData {
	return newData(t, &c.valid, nil, c.values.bits)
}

func (c *boolColumn) adapt(Type) column {
	copied := *c
	return &copied
}
