package viewer

import (
	"testing"

	"github.com/flowlang/flow/monitor"
)

// FuzzFrame draws any text at any size on every screen, and types it as well.
func FuzzFrame(f *testing.F) {
	f.Add(hostile, 80, 24, false)
	f.Add("日本語 e\u0301 👩‍👩‍👧 ا", 81, 30, true)
	f.Add(":epoch 18446744073709551616", 1, 1, false)
	f.Fuzz(func(t *testing.T, text string, w, h int, ascii bool) {
		w, h = w&0xff, h&0x7f
		s := orders()
		s.Run.Flow, s.Run.Plan, s.Reason, s.Cut, s.State = text, text, text, text, monitor.State(text)
		s.Resources[0].Name, s.Log[0].Text, s.Causes[0].Name, s.Recent[39].Error = text, text, text, text
		m := watching(Options{ASCII: ascii, Where: text}, s)
		m.width, m.height = w, h
		m.dead, m.deadOf = []monitor.DeadLetter{{Reason: text, Place: text, Body: []byte(text)}}, s.Run.ID
		m.places[runScreen].filter = text
		for n := range screens {
			keys(m, string(rune('1'+n)))
			rendered(t, m, w, h)
			check(t, m, ascii)
		}
		m.command(text)
		keys(m, "/", text, "enter", ":", text)
		rendered(t, m, w, h)
		check(t, m, ascii)
	})
}
