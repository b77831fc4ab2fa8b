package viewer

import (
	"cmp"
	"math"

	"github.com/flowlang/flow/monitor"
)

// resourceColumns are counts since the run began, or since the viewer opened.
func (m *Model) resourceColumns(r run) []column[monitor.Resource] {
	number := func(title string, width, from int, value func(monitor.Resource) uint64) column[monitor.Resource] {
		return column[monitor.Resource]{title: title, width: width, from: from, right: true,
			text:    func(x monitor.Resource) string { return count(value(x), width) },
			compare: func(a, b monitor.Resource) int { return cmp.Compare(value(a), value(b)) }}
	}
	since := func(value func(monitor.Resource) uint64) func(monitor.Resource) uint64 {
		if !m.sinceOpen {
			return value
		}
		return func(x monitor.Resource) uint64 { return value(x) - min(value(x), value(r.opened[x.Name])) }
	}
	dead := number("DEAD", 7, 0, since(func(x monitor.Resource) uint64 { return x.Dead }))
	dead.role = func(x monitor.Resource) role { return ifAny(x.Dead) }
	written := since(func(x monitor.Resource) uint64 { return x.Bytes })
	bytes := number("BYTES", 9, 0, written)
	bytes.text = func(x monitor.Resource) string { return size(int64(min(written(x), math.MaxInt64))) }
	return []column[monitor.Resource]{
		{title: "RESOURCE", text: func(x monitor.Resource) string { return x.Name }},
		number("IN", 10, 0, since(func(x monitor.Resource) uint64 { return x.In })),
		number("OUT", 10, 0, since(func(x monitor.Resource) uint64 { return x.Out })),
		number("DROPPED", 10, 100, since(func(x monitor.Resource) uint64 { return x.Dropped })),
		dead,
		{title: "MSG/S", width: 6, right: true, text: func(x monitor.Resource) string {
			if rate, ok := r.rates.resources[x.Name]; ok {
				return short(rate)
			}
			return "-"
		}, compare: func(a, b monitor.Resource) int {
			return cmp.Compare(r.rates.resources[a.Name], r.rates.resources[b.Name])
		}},
		bytes,
		number("LAST SEQ", 11, 0, func(x monitor.Resource) uint64 { return x.Last }),
	}
}

func (m *Model) resourceListing(w int) listing {
	r, _ := m.focused(m.scene())
	return arrange(m.pen(), m.places[runScreen], m.resourceColumns(r), r.Resources,
		func(x monitor.Resource) string { return x.Name }, func(x monitor.Resource) string { return x.Name }, w)
}
