package viewer

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/flowlang/flow/monitor"
)

// question is asked before something is done.
type question struct {
	text string
	yes  func() tea.Cmd
}

// answer does what was asked about, if the key says so.
func (m *Model) answer(key string) tea.Cmd {
	q := m.question
	m.question = nil
	if key == "y" || key == "Y" {
		return q.yes()
	}
	m.say(plain, "nothing was done")
	return nil
}

// askPause asks to pause a run, or to resume one that is paused.
func (m *Model) askPause() tea.Cmd {
	r, ok := m.focused(m.scene())
	if ok && r.State == monitor.Paused {
		return m.askControl(monitor.Resume)
	}
	return m.askControl(monitor.Pause)
}

// named says which run is meant: another one may have the same name.
func named(r monitor.Run) string { return fmt.Sprintf("%s on %s, process %d", r.Flow, r.Host, r.PID) }

// verbs are the commands as a person calls them.
var verbs = map[monitor.Command]string{monitor.Pause: "pause", monitor.Resume: "resume", monitor.Stop: "drain and end"}

func (m *Model) askControl(command monitor.Command) tea.Cmd {
	r, ok := m.focused(m.scene())
	switch {
	case !ok:
		m.say(alarm, "no run is chosen")
		return nil
	case r.over():
		m.say(alarm, r.Run.Flow+" has ended")
		return nil
	case !r.Run.Control:
		m.say(alarm, r.Run.Flow+" was started without --allow-control")
		return nil
	}
	m.question = &question{verbs[command] + " " + named(r.Run) + "?", func() tea.Cmd {
		m.say(plain, "asking "+r.Run.Flow+" ...")
		source := m.options.Source
		return func() tea.Msg {
			ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
			defer cancel()
			// The state that comes back is still the one before.
			_, err := source.Control(ctx, r.Run.ID, command)
			return doneMsg{fmt.Sprintf("%s was told to %s", r.Run.Flow, verbs[command]), err}
		}
	}}
	return nil
}

// askReplay asks to replay the chosen epoch.
func (m *Model) askReplay() tea.Cmd {
	r, ok := m.focused(m.scene())
	mark, chosen := m.epoch()
	if !ok || !chosen {
		m.say(alarm, "no epoch is chosen")
		return nil
	}
	return m.askReplayOf(r, mark.Number)
}

func (m *Model) askReplayOf(r run, epoch uint64) tea.Cmd {
	switch {
	case !r.Run.Control:
		m.say(alarm, r.Run.Flow+" was started without --allow-control")
		return nil
	case !r.Run.Data:
		m.say(alarm, r.Run.Flow+" was started without --expose-data")
		return nil
	}
	var printing *Printing
	if m.options.Replay != nil {
		printing = m.options.Replay(r.Run, epoch)
	}
	if printing == nil {
		m.say(alarm, fmt.Sprintf("not from here: flowc replay %s --epoch %d, where that file is", r.Run.File, epoch))
		return nil
	}
	m.question = &question{fmt.Sprintf("print here what %s made of epoch %d?", r.Run.Flow, epoch), func() tea.Cmd {
		return tea.Exec(printing, func(err error) tea.Msg {
			return doneMsg{fmt.Sprintf("epoch %d was read again, and nothing was written", epoch), err}
		})
	}}
	return nil
}

// quit ends the viewer. A run that it was started with is asked about.
func (m *Model) quit() tea.Cmd {
	if m.options.Interrupt == nil {
		return tea.Quit
	}
	m.question = &question{"close the open epoch, then stop?", m.interrupt}
	return nil
}

// interrupt is what Ctrl-C means: the runs that the viewer was started with get the
// signal, and the viewer ends with them.
func (m *Model) interrupt() tea.Cmd {
	if m.options.Interrupt == nil {
		return tea.Quit
	}
	m.options.Interrupt()
	m.say(attention, "closing the open epoch; Ctrl-C again aborts it")
	return nil
}
