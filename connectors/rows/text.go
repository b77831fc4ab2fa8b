package rows

import (
	"encoding/base64"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/go-json-experiment/json/jsontext"
)

// textColumn holds values of any length: strings, bytes, and the kinds that
// keep their text.
type textColumn struct {
	// put appends the value that a JSON literal stands for, or gives false.
	put      func(r *reader, dst []byte, literal jsontext.Value) ([]byte, bool)
	nullable bool
	valid    bitmap
	offsets  []int32 // one more than there are values
	text     []byte
}

func newTextColumn(t Type, put func(*reader, []byte, jsontext.Value) ([]byte, bool)) *textColumn {
	return &textColumn{put: put, nullable: t.Nullable, offsets: []int32{0}}
}

func (c *textColumn) append(r *reader) bool {
	literal, err := r.json.ReadValue()
	if err != nil {
		return false
	}
	if literal.Kind() == 'n' {
		c.appendNull()
		return c.nullable
	}
	text, ok := c.put(r, c.text, literal)
	if !ok {
		return false
	}
	c.text = text
	c.finish(true)
	return true
}

// appendBytes appends value as it is.
func (c *textColumn) appendBytes(value []byte) {
	c.text = append(c.text, value...)
	c.finish(true)
}

func (c *textColumn) appendNull() { c.finish(false) }

func (c *textColumn) finish(valid bool) {
	c.offsets = append(c.offsets, int32(len(c.text)))
	c.valid.append(valid)
}

func (c *textColumn) len() int { return c.valid.n }

func (c *textColumn) truncate(n int) {
	c.offsets = c.offsets[:n+1]
	c.text = c.text[:c.offsets[n]]
	c.valid.truncate(n)
}

func (c *textColumn) data(t arrow.DataType) arrow.ArrayData {
	return newData(t, &c.valid, nil, arrow.GetBytes(c.offsets), c.text)
}

func (c *textColumn) adapt(Type) column {
	copied := *c
	return &copied
}

func appendText(_ *reader, dst []byte, literal jsontext.Value) ([]byte, bool) {
	if literal.Kind() != '"' {
		return dst, false
	}
	dst, err := jsontext.AppendUnquote(dst, literal)
	return dst, err == nil
}

func appendBase64(r *reader, dst []byte, literal jsontext.Value) ([]byte, bool) {
	if literal.Kind() != '"' {
		return dst, false
	}
	dst, err := base64.StdEncoding.Strict().AppendDecode(dst, r.text(literal))
	return dst, err == nil
}

// appendDecimal takes a number digit for digit. The text of one is none: it would
// leave as a number.
func appendDecimal(_ *reader, dst []byte, literal jsontext.Value) ([]byte, bool) {
	return append(dst, literal...), literal.Kind() == '0'
}

func appendJSON(_ *reader, dst []byte, literal jsontext.Value) ([]byte, bool) {
	dst, err := jsontext.AppendFormat(dst, literal, jsontext.PreserveRawStrings(true))
	return dst, err == nil
}
