package viewer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/monitor"
)

func letterKey(x monitor.DeadLetter) string { return fmt.Sprintf("%s/%d", x.Stream, x.Sequence) }

// letters are those of a run that came last.
func (m *Model) letters(r run) []monitor.DeadLetter {
	if m.deadOf != r.Run.ID {
		return nil
	}
	return m.dead
}

func (m *Model) deadListing(w int) listing {
	r, _ := m.focused(m.scene())
	columns := []column[monitor.DeadLetter]{
		{title: "TIME", width: 8, text: func(x monitor.DeadLetter) string { return clock(x.Time) }, compare: func(a, b monitor.DeadLetter) int { return a.Time.Compare(b.Time) }},
		{title: "EPOCH", width: 8, right: true, from: 100, text: func(x monitor.DeadLetter) string { return count(x.Epoch, 8) }, compare: func(a, b monitor.DeadLetter) int { return cmp.Compare(a.Epoch, b.Epoch) }},
		{title: "STREAM", width: 12, text: func(x monitor.DeadLetter) string { return x.Stream }},
		{title: "SEQUENCE", width: 11, right: true, text: func(x monitor.DeadLetter) string { return count(x.Sequence, 11) }, compare: func(a, b monitor.DeadLetter) int { return cmp.Compare(a.Sequence, b.Sequence) }},
		{title: "SUBJECT", width: 16, text: func(x monitor.DeadLetter) string { return x.Subject }},
		{title: "CODE", width: 5, text: func(x monitor.DeadLetter) string { return x.Code }, role: func(monitor.DeadLetter) role { return attention }},
		{title: "ERROR", text: func(x monitor.DeadLetter) string { return x.Reason }},
	}
	return arrange(m.pen(), m.places[deadScreen], columns, m.letters(r), letterKey,
		func(x monitor.DeadLetter) string {
			return strings.Join([]string{x.Stream, x.Subject, x.Code, x.Reason}, " ")
		}, w)
}

func (m *Model) drawDead(c *canvas, r run) {
	l := m.deadListing(c.w)
	m.drawSplit(c, l, m.noDead(r), func() (string, []line) {
		if len(l.keys) == 0 {
			return "", nil
		}
		key := l.keys[l.index(m.places[deadScreen].key)]
		letters := m.letters(r)
		i := slices.IndexFunc(letters, func(x monitor.DeadLetter) bool { return letterKey(x) == key })
		return fmt.Sprintf("stream %s, sequence %s", letters[i].Stream, count(letters[i].Sequence, 20)), c.letterDetail(letters[i], r.Run.Data)
	})
}

// noDead says why the list is empty.
func (m *Model) noDead(r run) string {
	switch {
	case m.deadTrouble != "" && m.deadOf == r.Run.ID:
		return m.deadTrouble
	case r.Totals.Dead+r.Totals.Skipped > 0:
		return "asking for the dead letters ..."
	}
	return "no message was bad"
}

// letterDetail is all of a dead letter: the error with its place in the flow, headers,
// body.
func (c *canvas) letterDetail(x monitor.DeadLetter, data bool) []line {
	lines := []line{
		{{" subject   ", dim}, {x.Subject, plain}},
		{{" resource  ", dim}, {fmt.Sprintf("%s   epoch %d   %s", x.Resource, x.Epoch, x.Time.UTC().Format("2006-01-02 15:04:05")), plain}},
	}
	lines = append(lines, c.wrap(span{" error     ", dim}, span{x.Code + "  " + x.Reason, attention}, c.w)...)
	for _, l := range texts(x.Place) {
		lines = append(lines, line{{"  " + l, plain}})
	}
	if !data {
		return append(lines, line{{" headers and body are shown of runs that are started with --expose-data", dim}})
	}
	for _, name := range slices.Sorted(maps.Keys(x.Headers)) {
		lines = append(lines, line{{" header    ", dim}, {name + ": " + strings.Join(x.Headers[name], ", "), plain}})
	}
	lines = append(lines, line{{fmt.Sprintf(" body      %s", size(int64(len(x.Body)+x.Cut))), dim}})
	for _, l := range texts(string(x.Body)) {
		lines = append(lines, c.wrap(span{"  ", plain}, span{l, plain}, c.w)...)
	}
	if x.Cut > 0 {
		lines = append(lines, line{{fmt.Sprintf("  ... and %s more", size(int64(x.Cut))), dim}})
	}
	return lines
}

// texts are the lines of a text, without the empty one at its end.
func texts(text string) []string {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.ReplaceAll(l, "\t", "    ")
	}
	return lines
}
