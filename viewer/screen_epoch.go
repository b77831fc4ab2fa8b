package viewer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/flowlang/flow/monitor"
)

// epochs are the run's last ones, the newest first, and one that was asked for by its
// number.
func (m *Model) epochs(r run) []monitor.Mark {
	marks := slices.Clone(r.Recent)
	slices.Reverse(marks)
	if m.asked != nil && m.askedOf == r.Run.ID && !slices.ContainsFunc(marks, func(x monitor.Mark) bool { return x.Number == m.asked.Number }) {
		marks = append(marks, *m.asked)
	}
	return marks
}

func (m *Model) epochListing(w int) listing {
	v := m.scene()
	r, _ := m.focused(v)
	number := func(title string, width int, value func(monitor.Mark) float64, text func(monitor.Mark) string) column[monitor.Mark] {
		return column[monitor.Mark]{title: title, width: width, right: true, text: text,
			compare: func(a, b monitor.Mark) int { return cmp.Compare(value(a), value(b)) }}
	}
	columns := []column[monitor.Mark]{
		number("EPOCH", 10, func(x monitor.Mark) float64 { return float64(x.Number) }, func(x monitor.Mark) string { return count(x.Number, 10) }),
		{title: "OUTCOME", width: 9, text: func(x monitor.Mark) string { l := markOf(x.Outcome); return l.glyph + " " + l.word },
			role: func(x monitor.Mark) role { return markOf(x.Outcome).role }},
		number("READ", 9, func(x monitor.Mark) float64 { return float64(x.Messages) }, func(x monitor.Mark) string { return count(uint64(max(0, x.Messages)), 9) }),
		number("WRITTEN", 9, func(x monitor.Mark) float64 { return float64(x.Written) }, func(x monitor.Mark) string { return count(uint64(max(0, x.Written)), 9) }),
		number("TOOK", 7, func(x monitor.Mark) float64 { return x.Seconds }, func(x monitor.Mark) string { return seconds(x.Seconds) }),
		number("ENDED", 9, func(x monitor.Mark) float64 { return float64(x.Ended.UnixNano()) }, func(x monitor.Mark) string { return clock(x.Ended) }),
		{title: "", text: func(x monitor.Mark) string { return x.Error }, role: func(monitor.Mark) role { return attention }},
	}
	return arrange(m.pen(), m.places[epochScreen], columns, m.epochs(r), epochKey,
		func(x monitor.Mark) string { return fmt.Sprintf("%d %s %s", x.Number, x.Outcome, x.Error) }, w)
}

func epochKey(x monitor.Mark) string {
	return fmt.Sprintf("%d/%s/%d", x.Number, x.Outcome, x.Ended.UnixNano()) // a failed epoch is tried again under its number
}

// epoch is the chosen one.
func (m *Model) epoch() (monitor.Mark, bool) {
	r, _ := m.focused(m.scene())
	marks := m.epochs(r)
	l := m.epochListing(m.width)
	if len(l.keys) == 0 {
		return monitor.Mark{}, false
	}
	key := l.keys[l.index(m.places[epochScreen].key)]
	i := slices.IndexFunc(marks, func(x monitor.Mark) bool { return epochKey(x) == key })
	return marks[i], true
}

func (m *Model) drawEpoch(c *canvas) {
	mark, chosen := m.epoch()
	m.drawSplit(c, m.epochListing(c.w), "no epoch has ended yet", func() (string, []line) {
		if !chosen {
			return "", nil
		}
		return "epoch " + strconv.FormatUint(mark.Number, 10), c.epochDetail(mark)
	})
}

// epochDetail is all that is known of an epoch, a line each.
func (c *canvas) epochDetail(x monitor.Mark) []line {
	look := markOf(x.Outcome)
	lines := []line{{
		{" outcome   ", dim}, {look.word, look.role},
		{fmt.Sprintf("   ended %s   took %s   read %s   written %s", x.Ended.UTC().Format("2006-01-02 15:04:05 UTC"), seconds(x.Seconds), count(uint64(max(0, x.Messages)), 20), count(uint64(max(0, x.Written)), 20)), plain},
	}}
	if x.Error != "" {
		lines = append(lines, c.wrap(span{" error     ", dim}, span{x.Error, attention}, c.w)...)
	}
	for _, r := range x.Ranges {
		lines = append(lines, line{{" read      ", dim}, {fmt.Sprintf("stream %s  sequences %s to %s  %s", r.Stream, count(r.First, 20), count(r.Last, 20), plural(r.Records, "message")), plain}})
	}
	for _, r := range x.Receipts {
		lines = append(lines, line{{" written   ", dim}, {fmt.Sprintf("stream %s  sequences %s to %s  %s of %s", r.Stream, count(r.First, 20), count(r.Last, 20), plural(r.Rows, "row"), r.Resource), plain}},
			line{{"           ", dim}, {fmt.Sprintf("%s  checksum crc32c %08x  %s", size(r.Bytes), r.CRC32C, plural(r.Duplicates, "duplicate")), plain}})
	}
	if len(x.Phases) > 0 {
		l := line{{" phases   ", dim}}
		for _, p := range x.Phases {
			l = l.add(dim, " "+shortPhase(p.Name)).add(plain, " "+brief(p.Seconds))
		}
		lines = append(lines, l)
	}
	return lines
}

// drawSplit shows a list above and what is chosen of it below, or that alone.
func (m *Model) drawSplit(c *canvas, l listing, empty string, detail func() (string, []line)) {
	at := m.places[m.screen]
	text, lines := detail()
	if at.open && len(lines) > 0 {
		c.rule(text)
		c.tops.list = at.top
		c.tops.detail = c.scroll(lines, at.detail, c.free())
		return
	}
	h := min(len(l.keys)+1, max(4, c.free()*2/5))
	if len(l.keys) == 0 {
		h = 2
	}
	c.table(l, at, min(h, c.free()), empty)
	if len(lines) > 0 && c.free() > 1 {
		c.rule(text)
		c.detail(lines, c.free())
	}
}
