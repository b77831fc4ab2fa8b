package viewer

import (
	"fmt"
	"slices"
	"strings"
)

// canvas collects a frame of a size.
type canvas struct {
	pen
	w, h int
	frame
	tops tops
	fade bool // what is put is old
}

// tops are where lists and texts begin on the frame, for the next key to go on from.
type tops struct{ list, detail int }

func (c *canvas) put(l line) {
	if c.fade {
		l = slices.Clone(l)
		for i := range l {
			if l[i].role != inverse {
				l[i].role = dim
			}
		}
	}
	c.lines = append(c.lines, l)
}

// free is how many lines are left above the footer.
func (c *canvas) free() int { return max(0, c.h-1-len(c.lines)) }

// rule is a line across, with a title.
func (c *canvas) rule(text string) {
	text = "── " + text + " "
	c.put(line{{text + strings.Repeat("─", max(0, c.w-c.width(text))), dim}})
}

// table draws a list in h lines, its head included.
func (c *canvas) table(l listing, at place, h int, empty string) {
	if h < 1 {
		return
	}
	c.put(c.head(l, at))
	rows := h - 1
	if len(l.keys) == 0 {
		if rows > 0 {
			if at.filter != "" {
				empty = fmt.Sprintf("none of %d matches /%s", l.all, at.filter)
			}
			c.put(line{{"   " + empty, dim}})
		}
		return
	}
	chosen := l.index(at.key)
	top := window(chosen, at.top, len(l.keys), rows)
	c.tops.list = top
	for i := top; i < min(top+rows, len(l.keys)); i++ {
		c.zones = append(c.zones, zone{y: len(c.lines), to: c.w, kind: rowZone, key: l.keys[i]})
		c.put(c.row(l.row(i), i == chosen))
	}
}

// head is the line of titles; the sorted one has an arrow.
func (c *canvas) head(l listing, at place) line {
	head := line{{" ", plain}}
	for _, t := range l.titles {
		text, arrow := t.text, ""
		if at.sort == t.index+1 {
			arrow = "▲"
			if at.reverse != t.right {
				arrow = "▼"
			}
		}
		fill := c.left
		if t.right {
			fill = c.right
		}
		head = head.add(heading, fill(text+arrow, t.width)).add(plain, " ")
		c.zones = append(c.zones, zone{y: len(c.lines), from: t.from, to: t.from + t.width, kind: headerZone, number: t.index + 1})
	}
	return head
}

// row marks the chosen row by a sign, and by its look.
func (c *canvas) row(l line, chosen bool) line {
	if !chosen {
		return append(line{{" ", plain}}, l...)
	}
	var text strings.Builder
	text.WriteString(">")
	for _, s := range l {
		text.WriteString(s.text)
	}
	return line{{c.pen.left(text.String(), c.w), inverse}}
}

// scroll draws lines from one of them on, in h lines, and returns which it was.
func (c *canvas) scroll(lines []line, top, h int) int {
	top = max(0, min(top, len(lines)-h))
	for _, l := range lines[top:min(len(lines), top+max(0, h))] {
		c.put(l)
	}
	return top
}

// detail draws lines as far as they fit, and says how many did not.
func (c *canvas) detail(lines []line, h int) {
	if len(lines) <= h {
		c.scroll(lines, 0, h)
		return
	}
	if h < 1 {
		return
	}
	c.scroll(lines, 0, h-1)
	c.put(line{{fmt.Sprintf(" ... %d more lines: Enter", len(lines)-h+1), dim}})
}
