package viewer

import (
	"fmt"

	"github.com/flowlang/flow/monitor"
)

// drawAround shows sources, sinks and the whole budget of time where the screen is
// high enough for them.
func (m *Model) drawAround(c *canvas, r run) {
	if c.h >= 30 {
		m.drawSources(c, r)
		m.drawSinks(c, r)
	}
	if c.h >= 50 {
		c.drawShares(r)
	}
}

const aroundRows = 5

func (m *Model) drawSources(c *canvas, r run) {
	if len(r.Sources) == 0 {
		return
	}
	l := arrange(c.pen, place{}, []column[monitor.Source]{
		{title: "SOURCE", text: func(s monitor.Source) string { return s.Stream }},
		{title: "CONSUMER", width: 30, from: 100, text: func(s monitor.Source) string { return s.Consumer }},
		{title: "CERTIFIED TO", width: 14, right: true, text: func(s monitor.Source) string { return count(s.Last, 14) }},
		{title: "LAG", width: 12, right: true, text: func(s monitor.Source) string { return count(s.Lag.Messages, 12) }},
		{title: "BEHIND", width: 7, right: true, text: func(s monitor.Source) string { return seconds(s.Lag.Seconds) }},
		{title: "LOSS", width: 7, right: true, text: func(s monitor.Source) string { return seconds(s.Lag.Loss) }},
	}, r.Sources, func(s monitor.Source) string { return s.Stream }, func(s monitor.Source) string { return s.Stream }, c.w)
	c.plainTable(l, "sources")
}

func (m *Model) drawSinks(c *canvas, r run) {
	if len(r.Sinks) < 2 {
		return
	}
	l := arrange(c.pen, place{}, []column[monitor.Sink]{
		{title: "SINK", text: func(s monitor.Sink) string { return s.To }},
		{title: "MSGS IN FLIGHT", width: 20, right: true, text: func(s monitor.Sink) string {
			return fmt.Sprintf("%s/%s", count(uint64(max(0, s.InFlight.Messages)), 9), count(uint64(max(0, s.InFlight.MessagesLimit)), 9))
		}},
		{title: "BYTES IN FLIGHT", width: 20, right: true, text: func(s monitor.Sink) string { return sizeOf(s.InFlight.Bytes, s.InFlight.BytesLimit) }},
	}, r.Sinks, func(s monitor.Sink) string { return s.To }, func(s monitor.Sink) string { return s.To }, c.w)
	c.plainTable(l, "sinks")
}

// plainTable is a short list that is not moved in.
func (c *canvas) plainTable(l listing, what string) {
	zones := len(c.zones)
	c.put(c.head(l, place{}))
	c.zones = c.zones[:zones]
	for i := range min(aroundRows, len(l.keys)) {
		c.put(c.row(l.row(i), false))
	}
	if more := len(l.keys) - aroundRows; more > 0 {
		c.put(line{{fmt.Sprintf("   and %d more %s", more, what), dim}})
	}
}

// drawShares is the whole budget of the time of the last seconds.
func (c *canvas) drawShares(r run) {
	for _, s := range r.rates.shares {
		part := percent(s.Seconds, 1)
		if part == 0 {
			continue
		}
		c.put(line{{fmt.Sprintf(" %3d%% ", part), strong}, {repeat("#", max(1, part*2/5)) + " ", good}, {sentence(s.Name), plain}})
	}
}
