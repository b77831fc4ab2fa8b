package rows

// intColumn holds integers of 64 bits. One that may still become Float, and
// has nothing against it yet, refuses the first integer that rules it out:
// inference then notes that in the type.
type intColumn struct{ fixedColumn[int64] }

func newIntColumn(t Type) *intColumn {
	c := &intColumn{fixedColumn[int64]{parse: readInt, nullable: t.Nullable}}
	if t.Inferred && !t.Wide {
		c.parse = readNarrowInt
	}
	return c
}

func (c *intColumn) adapt(t Type) column {
	if t.Kind == Float {
		return c.widened(t)
	}
	adapted := newIntColumn(t)
	adapted.valid, adapted.values = c.valid, c.values
	return adapted
}

// widened gives the same values as floats. None is wide, so that all keep
// their digits.
func (c *intColumn) widened(t Type) column {
	floats := &fixedColumn[float64]{parse: readFloat, nullable: t.Nullable, valid: c.valid}
	floats.values = make([]float64, len(c.values))
	for i, v := range c.values {
		floats.values[i] = float64(v)
	}
	return floats
}
