package viewer

import (
	"cmp"
	"math"

	"github.com/flowlang/flow/monitor"
)

// resourceColumns are counts since the run began, or since the viewer opened.
func (m *Model) resourceColumns(r run) []column[monitor.Resource] {
	counted := func(title string, width, from int, value func(monitor.Resource) uint64) column[monitor.Resource] {
		since := func(x monitor.Resource) uint64 {
			if m.sinceOpen {
				return value(x) - min(value(x), value(r.opened[x.Name]))
			}
			return value(x)
		}
		return column[monitor.Resource]{title: title, width: width, from: from, right: true,
			text:    func(x monitor.Resource) string { return count(since(x), width) },
			compare: func(a, b monitor.Resource) int { return cmp.Compare(since(a), since(b)) }}
	}
	dead := counted("DEAD", 7, 0, func(x monitor.Resource) uint64 { return x.Dead })
	dead.role = func(x monitor.Resource) role { return ifAny(x.Dead) }
	bytes := counted("BYTES", 9, 0, func(x monitor.Resource) uint64 { return x.Bytes })
	bytes.text = func(x monitor.Resource) string {
		n := x.Bytes
		if m.sinceOpen {
			n -= min(n, r.opened[x.Name].Bytes)
		}
		return size(int64(min(n, math.MaxInt64)))
	}
	last := counted("LAST SEQ", 11, 0, func(x monitor.Resource) uint64 { return x.Last })
	last.text = func(x monitor.Resource) string { return count(x.Last, 11) }
	return []column[monitor.Resource]{
		{title: "RESOURCE", text: func(x monitor.Resource) string { return x.Name }},
		counted("IN", 10, 0, func(x monitor.Resource) uint64 { return x.In }),
		counted("OUT", 10, 0, func(x monitor.Resource) uint64 { return x.Out }),
		counted("DROPPED", 10, 100, func(x monitor.Resource) uint64 { return x.Dropped }),
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
		last,
	}
}

func (m *Model) resourceListing(w int) listing {
	r, _ := m.focused(m.scene())
	return arrange(m.pen(), m.places[runScreen], m.resourceColumns(r), r.Resources,
		func(x monitor.Resource) string { return x.Name }, func(x monitor.Resource) string { return x.Name }, w)
}
