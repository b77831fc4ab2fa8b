package viewer

import (
	"strings"

	"github.com/flowlang/flow/monitor"
)

func (m *Model) drawPlan(c *canvas, r run) {
	at := m.places[planScreen]
	c.rule("plan of " + r.Run.File)
	var lines []line
	for _, l := range filtered(at.filter, texts(r.Run.Plan), func(s string) string { return s }) {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		lines = append(lines, c.wrap(span{" " + l[:indent], plain}, span{l[indent:], plain}, c.w)...)
	}
	c.tops.list = c.scroll(c.orNone(lines, at, "the run did not send its plan"), at.top, c.free())
}

func (m *Model) drawLog(c *canvas, r run) {
	at := m.places[logScreen]
	text := "log"
	if m.errorsOnly {
		text = "log, warnings and errors only: e shows all"
	}
	c.rule(text)
	var lines []line
	for _, l := range filtered(at.filter, r.Log, func(l monitor.Line) string { return l.Text }) {
		if m.errorsOnly && !l.Warning {
			continue
		}
		lines = append(lines, c.logLine(l)...)
	}
	lines = c.orNone(lines, at, "nothing to show")
	// The end is followed, unless a person went up from it.
	h := c.free()
	top := c.scroll(lines, len(lines)-h-at.top, h)
	c.tops.list = max(0, len(lines)-h-top)
}

func (c *canvas) logLine(l monitor.Line) []line {
	r, sign := plain, "  "
	if l.Warning {
		r, sign = attention, "! "
	}
	return c.wrap(span{" " + clock(l.Time) + " " + sign, dim}, span{strings.TrimRight(l.Text, "\n"), r}, c.w)
}

// orNone says why there are no lines.
func (c *canvas) orNone(lines []line, at place, empty string) []line {
	switch {
	case len(lines) > 0:
		return lines
	case at.filter != "":
		empty = "no line has " + at.filter
	}
	return []line{{{"   " + empty, dim}}}
}
