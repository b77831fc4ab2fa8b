package rows

import "github.com/apache/arrow-go/v18/arrow"

// openColumn is a column of nulls whose type is still open.
type openColumn struct{ n int }

func (c *openColumn) append(r *reader) bool {
	value, err := r.json.ReadValue()
	if err != nil || value.Kind() != 'n' {
		return false
	}
	c.n++
	return true
}

func (c *openColumn) appendNull()    { c.n++ }
func (c *openColumn) len() int       { return c.n }
func (c *openColumn) truncate(n int) { c.n = n }

func (c *openColumn) adapt(t Type) column { return nulls(t, c.n) }

func (c *openColumn) data(t arrow.DataType) arrow.ArrayData {
	return newData(t, &bitmap{n: c.n}, nil)
}
