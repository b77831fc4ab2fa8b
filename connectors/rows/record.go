package rows

import "github.com/apache/arrow-go/v18/arrow"

// recordColumn holds JSON objects: a column for every member, all of the
// record's own length. A row is a record too, the outermost one.
type recordColumn struct {
	nullable bool
	valid    bitmap
	members  []member
	index    map[string]int
	width    int  // cells that a null fills: one for itself and those of its members
	isRow    bool // the envelope's members are removed
}

type member struct {
	name     string
	nullable bool
	width    int
	column
}

func newRecordColumn(t Type) *recordColumn {
	c := &recordColumn{nullable: t.Nullable}
	c.add(t.Fields, 0)
	return c
}

// newRowColumn gives the outermost record of a schema.
func newRowColumn(t Type) *recordColumn {
	c := newRecordColumn(t)
	c.isRow = true
	return c
}

// add appends members, each with n nulls.
func (c *recordColumn) add(fields []Column, n int) {
	for _, f := range fields {
		c.members = append(c.members, member{name: f.Name, nullable: f.Type.Nullable, column: nulls(f.Type, n)})
	}
	c.measure()
	c.index = make(map[string]int, len(c.members))
	for i, m := range c.members {
		c.index[m.name] = i
	}
}

// measure computes the widths after members were added or adapted.
func (c *recordColumn) measure() {
	c.width = 1
	for i := range c.members {
		m := &c.members[i]
		m.width = 1
		if record, ok := m.column.(*recordColumn); ok {
			m.width = record.width
		}
		c.width += m.width
	}
}

func (c *recordColumn) append(r *reader) bool {
	start, err := r.json.ReadToken()
	if err != nil {
		return false
	}
	switch start.Kind() {
	case 'n':
		c.appendNull()
		r.nulls -= c.width
		return c.nullable && r.nulls >= 0
	case '{':
	default:
		return false
	}
	seen, ok := c.appendMembers(r)
	if !ok {
		return false
	}
	if _, err := r.json.ReadToken(); err != nil {
		return false
	}
	if seen < len(c.members) && !c.fillMissing(r) {
		return false
	}
	c.valid.append(true)
	return true
}

// appendMembers reads members up to the closing brace. Most messages have
// theirs in the schema's order, so the next one is guessed before it is looked up.
func (c *recordColumn) appendMembers(r *reader) (seen int, ok bool) {
	for next := 0; r.json.PeekKind() != '}'; {
		key, err := r.json.ReadValue()
		if err != nil {
			return seen, false
		}
		name := r.text(key)
		if c.isRow && isReserved(name) {
			if r.skip() != nil {
				return seen, false
			}
			continue
		}
		if next >= len(c.members) || c.members[next].name != string(name) {
			i, known := c.index[string(name)]
			if !known {
				return seen, false
			}
			next = i
		}
		if !c.members[next].append(r) {
			return seen, false
		}
		next++
		seen++
	}
	return seen, true
}

// fillMissing appends a null to every member that the object did not have.
func (c *recordColumn) fillMissing(r *reader) bool {
	for i := range c.members {
		m := &c.members[i]
		if m.len() > c.valid.n {
			continue
		}
		if r.nulls -= m.width; !m.nullable || r.nulls < 0 {
			return false
		}
		m.appendNull()
	}
	return true
}

func (c *recordColumn) appendNull() {
	for i := range c.members {
		c.members[i].appendNull()
	}
	c.valid.append(false)
}

func (c *recordColumn) len() int { return c.valid.n }

func (c *recordColumn) truncate(n int) {
	for i := range c.members {
		c.members[i].truncate(n)
	}
	c.valid.truncate(n)
}

func (c *recordColumn) data(t arrow.DataType) arrow.ArrayData {
	fields := t.(*arrow.StructType).Fields()
	children := make([]arrow.ArrayData, len(c.members))
	for i := range c.members {
		children[i] = c.members[i].data(fields[i].Type)
		defer children[i].Release()
	}
	return newData(t, &c.valid, children)
}

func (c *recordColumn) adapt(t Type) column { return c.adaptRecord(t) }

func (c *recordColumn) adaptRecord(t Type) *recordColumn {
	adapted := *c
	adapted.members = make([]member, len(c.members), len(t.Fields))
	for i, m := range c.members {
		m.column = m.adapt(t.Fields[i].Type)
		adapted.members[i] = m
	}
	adapted.add(t.Fields[len(c.members):], c.len())
	return &adapted
}

// appendRaw appends a row of a Raw schema.
func (c *recordColumn) appendRaw(message []byte) {
	c.members[0].column.(*textColumn).appendBytes(message)
	c.valid.append(true)
}
