package viewer

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// onceWidth is how wide a snapshot is printed where there is no terminal.
const onceWidth = 120

// Once looks once and returns the list of runs as text, or the run of o.Flow if it is
// not empty. The width is the terminal's; 0 is none.
func Once(ctx context.Context, o Options, width int) (string, error) {
	m := New(o)
	if err := m.lookNow(ctx); err != nil {
		return "", err
	}
	if o.Flow != "" { // once more: before, it was not known which run is to be a full one
		if err := m.lookNow(ctx); err != nil {
			return "", err
		}
	}
	if _, found := m.focused(m.scene()); o.Flow != "" && !found {
		return "", fmt.Errorf("no run of a flow %q answers", o.Flow)
	}
	if width == 0 {
		width = onceWidth
	}
	return m.text(max(width, leastWidth)), nil
}

func (m *Model) lookNow(ctx context.Context) error {
	runs, err := m.options.Source.Look(ctx, m.focusID())
	if err != nil {
		return err
	}
	m.now, m.looked = time.Now(), true
	m.observe(runs, m.now)
	return nil
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
