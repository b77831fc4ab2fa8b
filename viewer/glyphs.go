package viewer

import "github.com/flowlang/flow/monitor"

// role is what a piece of text is, from which its color follows.
type role uint8

const (
	plain role = iota
	dim
	strong
	good      // blue
	attention // orange
	alarm     // orange and bold
	inverse   // the chosen row
	heading
)

// look is how a state is shown: never by a color alone.
type look struct {
	glyph, ascii string
	word         string
	role         role
}

var looks = map[monitor.State]look{
	monitor.Starting: {"◌", "o", "STARTING", good},
	monitor.Standby:  {"◦", "-", "STANDBY", good},
	monitor.Running:  {"▸", ">", "RUNNING", good},
	monitor.Waiting:  {"▴", "!", "WAITING", attention},
	monitor.Paused:   {"▪", "=", "PAUSED", attention},
	monitor.Draining: {"▾", "v", "DRAINING", attention},
	monitor.Blocked:  {"✕", "#", "BLOCKED", alarm},
	monitor.Failed:   {"✗", "x", "FAILED", alarm},
	monitor.Ended:    {"✓", "*", "ENDED", good},
	stale:            {"?", "?", "STALE", attention},
	gone:             {"?", "?", "GONE", alarm},
}

// The states that only a viewer sees: a run that does not answer.
const (
	stale monitor.State = "stale"
	gone  monitor.State = "gone"
)

// lookOf is a state's look; a state of a newer run is shown as it is called.
func lookOf(s monitor.State) look {
	if l, ok := looks[s]; ok {
		return l
	}
	return look{"?", "?", string(s), attention}
}

// markOf is how an epoch that ended is shown on the timeline and in lists.
func markOf(o monitor.Outcome) look {
	switch o {
	case monitor.OK:
		return look{".", ".", "ok", good}
	case monitor.Slow:
		return look{"!", "!", "slow", attention}
	case monitor.Replay:
		return look{"r", "r", "replay", attention}
	case monitor.EpochFailed:
		return look{"x", "x", "failed", alarm}
	}
	return look{"?", "?", string(o), attention}
}

// glyphs writes looks as the terminal can show them.
type glyphs struct{ ascii bool }

func (g glyphs) of(l look) string {
	if g.ascii {
		return l.ascii
	}
	return l.glyph
}

// state is a glyph and a word.
func (g glyphs) state(s monitor.State) string {
	l := lookOf(s)
	return g.of(l) + " " + l.word
}
