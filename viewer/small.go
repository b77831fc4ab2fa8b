package viewer

import (
	"fmt"
	"slices"
)

// drawSmall is one run on a screen that is too small for the others: what matters
// most comes first, and what does not fit is left out.
func (m *Model) drawSmall(c *canvas) {
	v := m.scene()
	last := m.smallFooter()
	r, ok := m.focused(v)
	lines := []line{{{m.noRuns(), dim}}}
	if ok {
		lines = m.smallLines(v, r)
	}
	room := c.h
	if last != nil {
		room--
	}
	for _, l := range lines[:max(0, min(room, len(lines)))] {
		c.put(l)
	}
	if last != nil {
		for len(c.lines) < c.h-1 {
			c.put(nil)
		}
		c.put(last)
	}
}

// smallFooter is what a person has to see at any size.
func (m *Model) smallFooter() line {
	switch {
	case m.question != nil:
		return line{{"y/N " + m.question.text, alarm}}
	case m.prompt != 0:
		return line{{string(m.prompt) + string(m.input) + "_", strong}}
	case m.help:
		return line{{"help needs 80x24", attention}}
	case m.note.text != "":
		return line{{m.note.text, m.note.role}}
	case m.trouble != "":
		return line{{m.trouble, alarm}}
	}
	return nil
}

func (m *Model) smallLines(v scene, r run) []line {
	g, state := m.glyphs(), r.shown(v.now)
	first := line{{g.state(state), lookOf(state).role}}
	if state == stale || state == gone {
		first = first.add(attention, " "+age(r.silent(v.now)))
	}
	first = append(first, span{" " + runName(r.Run, twinsOf(v.runs)), strong})
	if len(v.runs) > 1 {
		at := slices.IndexFunc(v.runs, func(x run) bool { return x.Run.ID == r.Run.ID })
		first = first.add(dim, fmt.Sprintf("  %d/%d", at+1, len(v.runs)))
	}
	lines := []line{append(first, span{"  ", plain})}
	if marks := m.marks(v); marks != nil {
		lines = append(lines, marks)
	}
	if r.Reason != "" {
		lines = append(lines, line{{r.Reason, lookOf(r.State).role}})
	}
	lag := line{{fmt.Sprintf("lag %s  %s", count(r.Lag.Messages, 9), seconds(r.Lag.Seconds)), plain}}
	if r.rates.known {
		lag = lag.add(plain, "  "+r.rates.trend.String())
	}
	lines = append(lines, lag, line{{"cert " + r.certifiedText(v.now), plain}})
	if risk := lossRisk(r.Lag); risk != nil {
		lines = append(lines, line{{risk[0].text[3:], risk[0].role}})
	}
	if len(r.rates.shares) > 0 {
		lines = append(lines, line{{fmt.Sprintf("%d%% %s", percent(r.rates.shares[0].Seconds, 1), sentence(r.rates.shares[0].Name)), plain}})
	}
	lines = append(lines,
		line{{"in " + perSecond(r.Rate.In) + " out " + perSecond(r.Rate.Out), plain}},
		line{{fmt.Sprintf("flight %d%% msgs %d%% bytes", percent(float64(r.InFlight.Messages), float64(r.InFlight.MessagesLimit)), percent(float64(r.InFlight.Bytes), float64(r.InFlight.BytesLimit))), plain}},
		line{{fmt.Sprintf("dead %s  failed %s", count(r.Totals.Dead, 9), count(r.Totals.Failures, 9)), ifAny(r.Totals.Dead + r.Totals.Failures)}},
		line{{fmt.Sprintf("epoch %d %s", r.Epoch.Number, doing(r.Epoch.Phase)), plain}},
	)
	return lines
}
