package viewer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/monitor"
)

// runColumns are those of the list of runs.
func runColumns(g glyphs, now time.Time, twins map[string]bool) []column[run] {
	number := func(title string, width, from int, value func(run) float64, text func(run) string) column[run] {
		return column[run]{title: title, width: width, from: from, right: true, text: text,
			compare: func(a, b run) int { return cmp.Compare(value(a), value(b)) }}
	}
	counted := func(title string, width, from int, value func(run) uint64) column[run] {
		return number(title, width, from, func(r run) float64 { return float64(value(r)) }, func(r run) string { return count(value(r), width) })
	}
	faults := counted("ERR", 5, 0, func(r run) uint64 { return r.Totals.Failures })
	faults.role = func(r run) role { return ifAny(r.Totals.Failures) }
	dead := counted("DEAD", 5, 100, func(r run) uint64 { return r.Totals.Dead + r.Totals.Skipped })
	dead.role = func(r run) role { return ifAny(r.Totals.Dead + r.Totals.Skipped) }
	return []column[run]{
		{title: "STATE", width: 10, text: func(r run) string { return g.state(r.shown(now)) }, role: func(r run) role { return lookOf(r.shown(now)).role }},
		{title: "FLOW", text: func(r run) string { return runName(r.Run, twins) }},
		{title: "ONCE", width: 8, text: func(r run) string { return strings.TrimSuffix(r.Run.Guarantee, " once") }},
		counted("LAG", 9, 0, func(r run) uint64 { return r.Lag.Messages }),
		number("BEHIND", 6, 0, func(r run) float64 { return r.Lag.Seconds }, func(r run) string { return seconds(r.Lag.Seconds) }),
		number("IN/S", 5, 0, func(r run) float64 { return r.Rate.In }, func(r run) string { return short(r.Rate.In) }),
		number("OUT/S", 5, 0, func(r run) float64 { return r.Rate.Out }, func(r run) string { return short(r.Rate.Out) }),
		number("CERT", 6, 0, func(r run) float64 { return r.certified(now).Seconds() }, func(r run) string { return r.certifiedText(now) }),
		faults,
		dead,
		{title: "WHERE", width: 24, from: 110, text: func(r run) string { return fmt.Sprintf("%s:%d", r.Run.Host, r.Run.PID) }},
		number("UP", 6, 130, func(r run) float64 { return r.since(r.Run.Started, now).Seconds() }, func(r run) string { return age(r.since(r.Run.Started, now)) }),
		{title: "SERVER", width: 30, from: 160, text: func(r run) string { return r.Run.Server }},
	}
}

// ifAny draws attention to what should be none.
func ifAny(n uint64) role {
	if n > 0 {
		return attention
	}
	return plain
}

// runName is a flow's name, and what tells it from another run of the same name.
func runName(r monitor.Run, twins map[string]bool) string {
	name := r.Flow
	if r.Namespace != "" && r.Namespace != "default" {
		name = r.Namespace + "/" + name
	}
	if twins[r.Namespace+"/"+r.Flow] {
		name += fmt.Sprintf(" @%s:%d", r.Host, r.PID)
	}
	return name
}

// twinsOf are the names that several runs have.
func twinsOf(runs []run) map[string]bool {
	seen, twins := map[string]bool{}, map[string]bool{}
	for _, r := range runs {
		name := r.Run.Namespace + "/" + r.Run.Flow
		twins[name] = seen[name]
		seen[name] = true
	}
	for name := range twins {
		if !twins[name] {
			delete(twins, name)
		}
	}
	return twins
}

// certified is how old the last certificate is; since the start if there is none.
func (r run) certified(now time.Time) time.Duration {
	if r.LastCertified.IsZero() {
		return r.since(r.Run.Started, now)
	}
	return r.since(r.LastCertified, now)
}

func (r run) certifiedText(now time.Time) string {
	if r.LastCertified.IsZero() {
		return "none"
	}
	return age(r.certified(now))
}

func (m *Model) runsListing(w int) listing {
	v := m.scene()
	columns := runColumns(m.glyphs(), v.now, twinsOf(v.runs))
	return arrange(m.pen(), m.places[runsScreen], columns, v.runs,
		func(r run) string { return r.Run.ID },
		func(r run) string {
			return strings.Join([]string{r.Run.Flow, r.Run.Namespace, r.Run.Host, string(r.shown(v.now)), r.Run.Guarantee}, " ")
		}, w)
}

func (m *Model) drawRuns(c *canvas, v scene) {
	left := line{{" flowtui", strong}, {"  " + plural(len(v.runs), "run"), plain}, {"  " + m.options.Where, dim}}
	c.put(c.spread(left, m.marks(v), c.w))
	about := m.about(c, v)
	c.table(m.runsListing(c.w), m.places[runsScreen], max(2, c.free()-len(about)), m.noRuns())
	for _, l := range about[:min(len(about), c.free())] {
		c.put(l)
	}
}

// noRuns says why the list is empty.
func (m *Model) noRuns() string {
	switch {
	case m.trouble != "":
		return m.trouble
	case !m.looked:
		return "looking for runs ..."
	case m.options.Flow != "" && len(m.scene().runs) > 0:
		return "no run of flow " + m.options.Flow + " answers; 1 shows the others"
	}
	return "no run answers here; flowc run FILE starts one"
}

// about says, below the list, which run the chosen one is, and what keeps it from
// running.
func (m *Model) about(c *canvas, v scene) []line {
	r, ok := m.focused(v)
	if !ok {
		return nil
	}
	where := fmt.Sprintf("  %s, process %d, flowc %s, at %s, up %s", r.Run.Host, r.Run.PID, r.Run.Version, r.Run.Server, age(r.since(r.Run.Started, v.now)))
	lines := []line{{{" " + r.Run.Flow, strong}, {where, dim}}}
	if r.Reason != "" {
		why := c.wrap(span{" why  ", dim}, span{r.Reason, lookOf(r.State).role}, c.w)
		lines = append(lines, why[:min(3, len(why))]...)
	}
	return lines
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", count(uint64(n), 20), noun)
}

// sortRuns puts runs in the order of their names and starts.
func sortRuns(runs []run) {
	slices.SortFunc(runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(a.Run.Namespace, b.Run.Namespace), cmp.Compare(a.Run.Flow, b.Run.Flow),
			a.Run.Started.Compare(b.Run.Started), cmp.Compare(a.Run.ID, b.Run.ID))
	})
}
