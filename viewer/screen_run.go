package viewer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/monitor"
)

func (m *Model) drawRun(c *canvas, r run) {
	c.put(epochLine(r))
	c.put(c.timeline(r))
	c.put(c.bar("in flight msgs  ", r.InFlight.Messages, r.InFlight.MessagesLimit, false))
	c.put(c.bar("          bytes ", r.InFlight.Bytes, r.InFlight.BytesLimit, true))
	c.put(c.causeLine(r))
	c.put(c.rateLine(r))
	m.drawAround(c, r)
	c.table(m.resourceListing(c.w), m.places[runScreen], c.free(), "no resource has been read yet")
}

// drawHead is the first line of all screens of one run, and why it does not run.
func (m *Model) drawHead(c *canvas, v scene, r run) {
	g, state := m.glyphs(), r.shown(v.now)
	name := runName(r.Run, twinsOf(v.runs))
	left := line{{" flow " + c.cut(name, max(8, c.w*3/10)), strong}, {"  " + g.state(state), lookOf(state).role}}
	if state == stale || state == gone {
		left = left.add(attention, fmt.Sprintf(" %s, was %s", age(r.silent(v.now)), lookOf(r.State).word))
	}
	right := append(m.marks(v), span{"last cert " + r.certifiedText(v.now), dim})
	if r.LastCertified.IsZero() {
		right[len(right)-1].text = "no cert yet"
	}
	facts := []string{m.whereOf(r), guarantee(r), "up " + age(r.since(r.Run.Started, v.now))}
	if r.over() {
		facts[2] = ""
	}
	c.put(c.spread(c.withFacts(left, facts, c.w-1-c.length(right)), right, c.w))
	if r.Reason != "" {
		why := c.wrap(span{" why      ", dim}, span{r.Reason, lookOf(r.State).role}, c.w)
		c.lines = append(c.lines, why[:min(3, len(why))]...)
	}
	if again, ok := v.successor(r); ok && (state == stale || state == gone || r.over()) {
		c.put(line{{" again    ", dim}, {"it runs on as " + named(again.Run) + ": 1 shows all runs", attention}})
	}
	if r.Cut != "" {
		c.put(line{{" cut      ", dim}, {"too large to be sent: " + r.Cut, plain}})
	}
	c.fade = state == stale || state == gone
}

// successor is the newest other run of the same flow, if it began later and answers.
func (v scene) successor(of run) (run, bool) {
	for _, r := range slices.Backward(v.runs) {
		if r.Run.Flow == of.Run.Flow && r.Run.Namespace == of.Run.Namespace && r.Run.Started.After(of.Run.Started) && r.shown(v.now) == r.State && !r.over() {
			return r, true
		}
	}
	return run{}, false
}

// withFacts adds what is known besides to a line: where, how sure and since when. Where
// not all of it fits, the first and then the last is left out.
func (c *canvas) withFacts(l line, facts []string, width int) line {
	for _, without := range [][]int{nil, {0}, {0, 2}, {0, 1, 2}} {
		all := l
		for i, fact := range facts {
			if fact != "" && !slices.Contains(without, i) {
				all = all.add(plain, "  "+fact)
			}
		}
		if c.length(all) <= width {
			return all
		}
	}
	return l
}

// whereOf is what the viewer was told to connect to, else the run's own server.
func (m *Model) whereOf(r run) string {
	if m.options.Where != "" {
		return strings.TrimPrefix(m.options.Where, "nats://")
	}
	return strings.TrimPrefix(r.Run.Server, "nats://")
}

// guarantee names the destination's stream, if there is one, and how sure it is.
func guarantee(r run) string {
	if len(r.Sinks) == 1 {
		stream, _, _ := strings.Cut(r.Sinks[0].To, " ")
		return stream + " " + r.Run.Guarantee
	}
	return r.Run.Guarantee
}

func epochLine(r run) line {
	e := r.Epoch
	l := line{{fmt.Sprintf(" epoch %d > ", e.Number), strong}, {doing(e.Phase), good}, {"  ", plain}}
	for _, p := range e.Phases {
		l = l.add(dim, " "+shortPhase(p.Name)).add(plain, " "+brief(p.Seconds))
	}
	if e.Ahead != "" {
		l = l.add(dim, "  ahead ").add(plain, doing(e.Ahead))
	}
	return l
}

const timelineLegend = ". ok  ! slow  r replay  x failed"

// timeline is a sign for each of the last epochs, and the open one at its end.
func (c *canvas) timeline(r run) line {
	legend := c.w >= 70
	room := c.w - len(" timeline ") - 1
	if legend {
		room -= len(timelineLegend) + 2
	}
	marks := r.Recent[max(0, len(r.Recent)-max(0, room)):]
	l := line{{" timeline ", dim}}
	for _, m := range marks {
		look := markOf(m.Outcome)
		l = l.add(look.role, look.glyph)
	}
	if !r.over() {
		l = l.add(strong, ">")
	}
	if legend {
		l = c.spread(l, line{{timelineLegend, dim}}, c.w)
	}
	return l
}

// bar shows how much of a limit is used. From nine tenths on it is the limit.
func (c *canvas) bar(label string, used, limit int64, bytes bool) line {
	cells := 20
	if c.w >= 120 {
		cells = 40
	}
	l := line{{" " + label, dim}}
	if limit <= 0 {
		return l.add(plain, "no limit known")
	}
	part := percent(float64(used), float64(limit))
	full := min(cells, max(0, int(float64(cells)*float64(used)/float64(limit)+0.5)))
	text := count(uint64(max(0, used)), 9) + "/" + count(uint64(limit), 9)
	if bytes {
		text = sizeOf(used, limit)
	}
	r := good
	if part >= 90 {
		r = attention
	}
	l = l.add(dim, "[").add(r, repeat("#", full)).add(dim, repeat(".", cells-full)+"]")
	l = l.add(plain, fmt.Sprintf(" %-14s %3d%%", text, part))
	if part >= 90 {
		l = l.add(alarm, "  << LIMIT")
	}
	return l
}

// causeLine is what the time goes to, and how far the run is behind; the former is
// cut where both do not fit.
func (c *canvas) causeLine(r run) line {
	lag := line{{"  lag ", dim}, {count(r.Lag.Messages, 12) + " msgs", plain}}
	if r.Lag.Seconds > 0 {
		lag = lag.add(plain, " "+seconds(r.Lag.Seconds))
	}
	if r.rates.known {
		mood := plain
		if r.rates.trend == rising {
			mood = attention
		}
		lag = lag.add(mood, " "+r.rates.trend.String())
	}
	l := line{{" cause    ", dim}}
	switch {
	case r.over():
		return append(l.add(plain, "the run has ended"), lag...)
	case len(r.rates.shares) == 0:
		return append(l.add(dim, "not known yet"), lag...)
	}
	top := r.rates.shares[0]
	l = l.add(strong, fmt.Sprintf("%d%% ", percent(top.Seconds, 1)))
	return append(l.add(plain, c.cut(sentence(top.Name), c.w-c.length(l)-c.length(lag))), lag...)
}

func (c *canvas) rateLine(r run) line {
	l := line{{" rate", dim}, {" in " + perSecond(r.Rate.In) + " out " + perSecond(r.Rate.Out) + "  " + size(int64(r.Rate.Bytes)) + "/s", plain}}
	l = l.add(plain, "   redelivered "+count(r.Totals.Redelivered, 9))
	l = l.add(ifAny(r.Totals.Dead), "   dead "+count(r.Totals.Dead, 9))
	if r.Totals.Skipped > 0 {
		l = l.add(attention, "   skipped "+count(r.Totals.Skipped, 9))
	}
	return append(l, lossRisk(r.Lag)...)
}

// lossRisk says when the source's limits remove what is not certified.
func lossRisk(lag monitor.Lag) line {
	if lag.Loss < 0 || lag.Messages == 0 {
		return nil
	}
	r, gone := plain, lag.Seconds/(lag.Seconds+lag.Loss) // the part of the oldest message's time that is over
	switch {
	case gone > 0.9 || lag.Loss < 60:
		r = alarm
	case gone > 0.5:
		r = attention
	}
	return line{{"   loss risk " + seconds(lag.Loss), r}}
}
