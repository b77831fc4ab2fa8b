package viewer

import (
	"context"
	"strings"
	"time"
)

// onceWidth is how wide a snapshot is printed where there is no terminal.
const onceWidth = 120

// Once looks twice, so that rates are known, and returns the list of runs as text, or
// the run of o.Flow if it is not empty. The width is the terminal's; 0 is none.
func Once(ctx context.Context, o Options, width int) (string, error) {
	m := New(o)
	for i := range 2 {
		if i > 0 {
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-time.After(m.options.Every):
			}
		}
		runs, err := o.Source.Look(ctx, m.focusID())
		if err != nil {
			return "", err
		}
		m.now, m.looked = time.Now(), true
		m.observe(runs, m.now)
	}
	if width == 0 {
		width = onceWidth
	}
	return m.text(max(width, leastWidth)), nil
}

// text is the whole screen without colors and keys, as high as it is.
func (m *Model) text(width int) string {
	r, _ := m.focused(m.scene())
	height := leastHeight + len(m.runs) + len(r.Resources) + 2*aroundRows
	m.width, m.height = width, height
	f, _ := m.draw(width, height)
	f.lines = f.lines[:height-1]
	var b strings.Builder
	lines := strings.Split(f.text(m.pen(), width, height, nil), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	for _, l := range lines {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}
