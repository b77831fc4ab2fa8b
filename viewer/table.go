package viewer

import (
	"slices"
	"strings"
)

// column is a column of a list of things.
type column[T any] struct {
	title   string
	width   int  // in cells; 0 takes what is left, for one column
	right   bool // aligned, and sorted from the largest
	from    int  // the least width of the screen at which it is shown
	text    func(T) string
	role    func(T) role     // nil is plain
	compare func(a, b T) int // nil compares the texts
}

// listing is a list that is filtered, sorted and measured, ready to be drawn.
type listing struct {
	keys   []string
	titles []title
	row    func(i int) line
	all    int // before the filter
}

// title is the head of a column where it stands.
type title struct {
	text  string
	from  int // the first cell
	width int
	right bool
	index int // of the column, shown or not
}

// index is where a key stands. One that is not there any more is the first one.
func (l listing) index(key string) int { return max(0, slices.Index(l.keys, key)) }

// arrange filters, sorts and measures a list for a place on the screen.
func arrange[T any](p pen, at place, columns []column[T], items []T, key, find func(T) string, width int) listing {
	l := listing{all: len(items)}
	items = sorted(at, columns, filtered(at.filter, items, find))
	l.keys = make([]string, len(items))
	for i, item := range items {
		l.keys[i] = key(item)
	}
	shown, widths := fit(columns, width)
	from := 1
	for i, c := range shown {
		l.titles = append(l.titles, title{text: columns[c].title, from: from, width: widths[i], right: columns[c].right, index: c})
		from += widths[i] + 1
	}
	l.row = func(i int) line {
		var row line
		for j, c := range shown {
			r := plain
			if columns[c].role != nil {
				r = columns[c].role(items[i])
			}
			text := p.left
			if columns[c].right {
				text = p.right
			}
			row = row.add(r, text(columns[c].text(items[i]), widths[j])).add(plain, " ")
		}
		return row
	}
	return l
}

func filtered[T any](filter string, items []T, find func(T) string) []T {
	if filter == "" {
		return items
	}
	filter = strings.ToLower(filter)
	var kept []T
	for _, item := range items {
		if strings.Contains(strings.ToLower(find(item)), filter) {
			kept = append(kept, item)
		}
	}
	return kept
}

// sorted is the list in the order that the place asks for; its own one if none.
func sorted[T any](at place, columns []column[T], items []T) []T {
	if at.sort < 1 || at.sort > len(columns) {
		return items
	}
	c := columns[at.sort-1]
	compare := c.compare
	if compare == nil {
		compare = func(a, b T) int { return strings.Compare(c.text(a), c.text(b)) }
	}
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b T) int {
		if at.reverse != c.right {
			return compare(b, a)
		}
		return compare(a, b)
	})
	return items
}

// fit says which columns a screen shows, and how wide they are.
func fit[T any](columns []column[T], width int) (shown, widths []int) {
	left, flexible := width-1, -1
	for i, c := range columns {
		if c.from > width {
			continue
		}
		if c.width == 0 {
			flexible = len(shown)
		}
		shown, widths = append(shown, i), append(widths, c.width)
		left -= c.width + 1
	}
	if flexible >= 0 {
		widths[flexible] = max(1, left)
	}
	return shown, widths
}

// window is the first row that is shown of n, so that the chosen one is within h.
func window(chosen, top, n, h int) int {
	if h <= 0 {
		return 0
	}
	top = min(top, chosen, max(0, n-h))
	return max(0, top, chosen-h+1)
}
