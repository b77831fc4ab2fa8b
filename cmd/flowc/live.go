package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/viewer"
)

// live shows a line of each flow at the bottom of a terminal, below what is logged and
// printed meanwhile. A nil one shows nothing.
type live struct {
	app   *app
	file  *os.File // the terminal
	color string   // as it was given

	out, errs io.Writer // as they were

	mu      sync.Mutex
	runs    []*followed
	drawn   []string
	between bool // a line was begun and is not ended
	done    chan struct{}
	over    chan struct{}
}

const (
	// liveEvery is how often the lines are drawn anew.
	liveEvery = 250 * time.Millisecond
	// liveLines is how many flows have a line.
	liveLines = 8
	// echoed is what a terminal writes behind the last line at an interrupt. It has to
	// stay on that line's row, or more would be there than is taken away.
	echoed = "^C"
)

// beginLive puts itself between flowc and a terminal that takes escape codes, unless
// something else is to be seen there.
func (a *app) beginLive(r running) *live {
	file, ok := a.errs.(*os.File)
	if !ok || !viewer.IsTerminal(file) || !a.colored() || a.view != nil || r.logFormat != "text" {
		return nil
	}
	l := &live{app: a, file: file, color: a.color, out: a.out, errs: a.errs, done: make(chan struct{}), over: make(chan struct{})}
	a.out, a.errs, a.color = above{l, a.out}, above{l, a.errs}, "always"
	return l
}

// show begins to draw.
func (l *live) show(runs []*followed) {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.runs = runs
	l.mu.Unlock()
	go func() {
		defer close(l.over)
		tick := time.NewTicker(liveEvery)
		defer tick.Stop()
		for {
			select {
			case <-l.done:
				return
			case <-tick.C:
				l.mu.Lock()
				l.draw()
				l.mu.Unlock()
			}
		}
	}()
}

// end takes the lines away.
func (l *live) end() {
	if l == nil {
		return
	}
	close(l.done)
	if l.runs != nil {
		<-l.over
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	l.app.out, l.app.errs, l.app.color = l.out, l.errs, l.color
}

// above writes above the lines.
type above struct {
	live *live
	to   io.Writer
}

// Write implements io.Writer.
func (w above) Write(text []byte) (int, error) {
	l := w.live
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	n, err := w.to.Write(text)
	if len(text) > 0 {
		l.between = text[len(text)-1] != '\n'
	}
	return n, err
}

// clear takes the lines away, and draw draws those of now; both need the mutex.
func (l *live) clear() {
	if len(l.drawn) == 0 {
		return
	}
	width, rows := l.width(), 0
	for _, line := range l.drawn { // each was one row of the width that the terminal had
		rows += max(1, (len(line)+width-1)/width)
	}
	up := ""
	if rows > 1 {
		up = fmt.Sprintf("\x1b[%dA", rows-1)
	}
	fmt.Fprintf(l.file, "\r%s\x1b[J", up)
	l.drawn = nil
}

func (l *live) draw() {
	l.clear()
	if l.between {
		return
	}
	width := l.width()
	for i, r := range l.runs {
		if i == liveLines {
			l.drawn = append(l.drawn, fmt.Sprintf("and %d more flows", len(l.runs)-liveLines))
			break
		}
		l.drawn = append(l.drawn, cutTo(lineOf(r.recorder.Snapshot()), width-1-len(echoed)))
	}
	fmt.Fprint(l.file, strings.Join(l.drawn, "\n"))
}

// width is how many columns the terminal has.
func (l *live) width() int {
	if width, _, err := term.GetSize(l.file.Fd()); err == nil && width > 0 {
		return width
	}
	return 80
}

// cutTo cuts a text of plain characters to a width.
func cutTo(text string, width int) string {
	return text[:min(len(text), max(width, 0))]
}

// lineOf is a run in one line. Everything in it is plain: names and numbers.
func lineOf(s monitor.Snapshot) string {
	text := s.Run.Flow + ": "
	if s.State != monitor.Running {
		text += string(s.State) + ", "
	}
	text += fmt.Sprintf("epoch %s, %s/s, lag %s", connectors.FormatCount(int64(s.Epoch.Number)), connectors.FormatCount(int64(s.Rate.In)), connectors.FormatCount(int64(s.Lag.Messages)))
	if s.Lag.Seconds >= 1 {
		text += " (" + brief(s.Lag.Seconds) + ")"
	}
	text += fmt.Sprintf(", in flight %s/%s", connectors.FormatCount(s.InFlight.Messages), connectors.FormatCount(s.InFlight.MessagesLimit))
	return lang.Printable(text)
}
