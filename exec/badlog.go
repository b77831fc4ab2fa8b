package exec

import (
	"fmt"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// badInterval is how often a run tells of bad rows that do not stop it. A line for
// every epoch would flood the log.
const badInterval = 10 * time.Second

// badLog adds up the bad rows of which nobody was told yet.
type badLog struct {
	told  time.Time
	rows  int
	first connectors.Notice // about the first of them
}

// add takes those of an epoch.
func (l *badLog) add(b *badRows) {
	if len(b.faults) == 0 {
		return
	}
	if l.rows == 0 {
		l.first = b.notice()
	}
	l.rows += len(b.letters())
}

// due is what there is to tell now.
func (l *badLog) due(now time.Time) (connectors.Notice, bool) {
	if l.rows == 0 || now.Sub(l.told) < badInterval {
		return connectors.Notice{}, false
	}
	n := l.first
	n.Attributes = append([]any{"rows", l.rows}, n.Attributes...)
	*l = badLog{told: now}
	return n, true
}

// notice shows the first bad row.
func (b *badRows) notice() connectors.Notice {
	first := b.faults[0]
	text := "bad rows were skipped"
	if b.action == planner.KeepBadRows {
		text = "bad rows were written as dead letters"
	}
	return connectors.Notice{Warning: true, Text: text, Attributes: []any{"resource", first.Resource,
		"stream", first.Stream, "sequence", first.Sequence, "first", fmt.Sprintf("%s: %v", first.Code, first.Err)}}
}

// tellBad tells of bad rows, if there are any and it is time.
func (m *machine) tellBad(now time.Time) {
	if n, due := m.badLog.due(now); due {
		m.notice(n)
	}
}
