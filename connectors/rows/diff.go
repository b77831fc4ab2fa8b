package rows

import (
	"fmt"
	"slices"
)

// Diff says in words what became of the columns of older, one line a column,
// for example "amount: int? became float?". It is empty if users see no
// difference.
func (s Schema) Diff(older Schema) []string {
	var lines []string
	if s.Shape != older.Shape {
		lines = append(lines, fmt.Sprintf("shape: %s became %s", older.Shape, s.Shape))
	}
	for _, c := range s.Columns {
		before := older.column(c.Name)
		switch {
		case before == nil:
			lines = append(lines, fmt.Sprintf("%s: %s added", plainName(c.Name), c.Type))
		case before.Type.String() != c.Type.String():
			lines = append(lines, fmt.Sprintf("%s: %s became %s", plainName(c.Name), before.Type, c.Type))
		}
	}
	for _, c := range older.Columns {
		if s.column(c.Name) == nil {
			lines = append(lines, fmt.Sprintf("%s: removed", plainName(c.Name)))
		}
	}
	return lines
}

func (s Schema) column(name string) *Column {
	i := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Columns[i]
}
