package main

import (
	"fmt"
	"io"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
)

// summary is what a run says at its end.
type summary struct {
	flow     string
	totals   exec.Totals
	took     time.Duration
	caughtUp bool
	err      error
}

func (s summary) print(w io.Writer) {
	t := s.totals
	outcome := "stopped"
	switch {
	case s.err != nil:
		outcome = "failed"
	case s.caughtUp:
		outcome = "caught up"
	}
	fmt.Fprintf(w, "%s: %s after %s in %s\n", s.flow, outcome, plural(t.Epochs, "certified epoch"), s.took.Round(time.Millisecond))
	fmt.Fprintf(w, "  read        %s\n", plural(t.Read, "message"))
	fmt.Fprintf(w, "  written     %s, %s%s\n", plural(t.Written, "message"), connectors.FormatSize(int64(t.Bytes)), s.rate())
	if t.Dropped > 0 {
		fmt.Fprintf(w, "  dropped     %s that no sink takes\n", plural(t.Dropped, "row"))
	}
	if t.Duplicates > 0 {
		fmt.Fprintf(w, "  duplicates  %s that the destination had already\n", plural(t.Duplicates, "message"))
	}
	if t.Redelivered > 0 {
		fmt.Fprintf(w, "  suppressed  %s of what was certified already\n", plural(t.Redelivered, "redelivery"))
	}
	for i, p := range t.Places {
		label := "now in"
		if i > 0 {
			label = ""
		}
		fmt.Fprintf(w, "  %-10s  %s\n", label, place(p))
	}
}

func (s summary) rate() string {
	seconds := s.took.Seconds()
	if s.totals.Written == 0 || seconds <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s a second", connectors.FormatCount(int64(float64(s.totals.Written)/seconds)))
}

func place(p exec.Place) string {
	text := fmt.Sprintf("stream %s: %s of %s", p.Stream, plural(p.Rows, "row"), p.Resource)
	if p.First > 0 {
		text += fmt.Sprintf(", sequences %s to %s", connectors.FormatCount(int64(p.First)), connectors.FormatCount(int64(p.Last)))
	}
	return text
}

func plural(n uint64, noun string) string {
	text := connectors.FormatCount(int64(n)) + " " + noun
	switch {
	case n == 1:
		return text
	case noun[len(noun)-1] == 'y':
		return text[:len(text)-1] + "ies"
	}
	return text + "s"
}
