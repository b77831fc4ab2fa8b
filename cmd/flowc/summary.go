package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/planner"
)

// printSummary says how a flow's run ended.
func (a *app) printSummary(r exec.Result, caughtUp bool) {
	w, t := printableWriter{a.out}, r.Totals
	outcome := "stopped"
	_, aborted := errors.AsType[*cut](r.Err)
	switch {
	case aborted, errors.Is(r.Err, exec.ErrStopped):
	case r.Err != nil:
		outcome = "failed"
	case caughtUp:
		outcome = "caught up"
	}
	fmt.Fprintf(w, "%s: %s after %s in %s\n", r.Flow.Flow, outcome, plural(t.Epochs, "certified epoch"), r.Took.Round(time.Millisecond))
	fmt.Fprintf(w, "  read        %s\n", plural(t.Read, "message"))
	fmt.Fprintf(w, "  written     %s, %s%s\n", plural(t.Written, "message"), connectors.FormatSize(int64(t.Bytes)), rate(t.Written, r.Took))
	if t.Dropped > 0 {
		fmt.Fprintf(w, "  dropped     %s, by `where` or since no `to` takes them\n", plural(t.Dropped, "row"))
	}
	if t.Bad > 0 {
		fmt.Fprintf(w, "  bad         %s, %s\n", plural(t.Bad, "row"), badRows(r.Flow))
	}
	if t.Duplicates > 0 {
		fmt.Fprintf(w, "  duplicates  %s that the destination had already\n", plural(t.Duplicates, "message"))
	}
	if t.Redelivered > 0 {
		fmt.Fprintf(w, "  suppressed  %s of what was certified already\n", plural(t.Redelivered, "redelivery"))
	}
	for i, p := range t.Places[:min(len(t.Places), mostPlaces)] {
		label := "now in"
		if i > 0 {
			label = ""
		}
		fmt.Fprintf(w, "  %-10s  %s\n", label, place(p))
	}
	if more := len(t.Places) - mostPlaces; more > 0 {
		fmt.Fprintf(w, "  %-10s  and %s more, which the certificates tell: flowc epochs show\n", "", plural(uint64(more), "place"))
	}
}

// mostPlaces of what was written where are shown: there may be a thousand resources.
const mostPlaces = 20

func badRows(f *planner.Flow) string {
	if f.BadRow == planner.SkipBadRows {
		return "skipped"
	}
	return "kept as dead letters"
}

func rate(messages uint64, took time.Duration) string {
	if messages == 0 || took <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s a second", connectors.FormatCount(int64(float64(messages)/took.Seconds())))
}

func place(p exec.Place) string {
	text := fmt.Sprintf("stream %s: %s of %s", p.Stream, plural(p.Rows, "row"), p.Resource)
	if p.Rows == 0 {
		text = fmt.Sprintf("stream %s: nothing new of %s", p.Stream, p.Resource)
	}
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
