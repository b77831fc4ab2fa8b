package rows

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/go-json-experiment/json/jsontext"
)

// fixedColumn holds values of a fixed width of 4 or 8 bytes.
type fixedColumn[T int32 | int64 | float64] struct {
	parse    func(r *reader, literal jsontext.Value) (T, bool)
	nullable bool
	valid    bitmap
	values   []T
}

func (c *fixedColumn[T]) append(r *reader) bool {
	literal, err := r.json.ReadValue()
	if err != nil {
		return false
	}
	if literal.Kind() == 'n' {
		c.appendNull()
		return c.nullable
	}
	value, ok := c.parse(r, literal)
	if !ok {
		return false
	}
	c.values = append(c.values, value)
	c.valid.append(true)
	return true
}

func (c *fixedColumn[T]) appendNull() {
	c.values = append(c.values, 0)
	c.valid.append(false)
}

func (c *fixedColumn[T]) len() int { return c.valid.n }

func (c *fixedColumn[T]) truncate(n int) {
	c.values = c.values[:n]
	c.valid.truncate(n)
}

func (c *fixedColumn[T]) data(t arrow.DataType) arrow.ArrayData {
	return newData(t, &c.valid, nil, arrow.GetBytes(c.values))
}

func (c *fixedColumn[T]) adapt(Type) column {
	copied := *c
	return &copied
}
