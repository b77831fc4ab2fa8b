package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/spf13/cobra"
)

func (a *app) deadCommand() *cobra.Command {
	return group("dead", "Show, replay and purge the dead letters of a flow",
		a.deadListCommand(), a.deadShowCommand(), a.deadReplayCommand(), a.deadPurgeCommand())
}

// letterArgument is what the commands say of their argument LETTER.
const letterArgument = `LETTER is STREAM/SEQUENCE, as ls shows it, or the sequence alone where the letters are in
one stream. With a flow's name its letters are looked for in the stream FLOW_DEAD; a
flow that keeps them elsewhere is given by its file.`

func (a *app) deadListCommand() *cobra.Command {
	var k known
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls FLOW",
		Short: "List a flow's dead letters, the oldest first",
		Long:  "List a flow's dead letters, the oldest of each stream first.\n\n" + letterArgument,
		Args:  oneFlow,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := a.find(cmd.Context(), args[0], k)
			if err != nil {
				return err
			}
			defer f.end()
			return a.listLetters(cmd.Context(), f, asJSON)
		},
	}
	k.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (a *app) deadShowCommand() *cobra.Command {
	var k known
	cmd := &cobra.Command{
		Use:   "show FLOW LETTER",
		Short: "Show a dead letter: why it is one, and the original message",
		Long:  "Show why a message became a dead letter, and the message as it came.\n\n" + letterArgument,
		Args:  flowAnd("a letter"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLetters(cmd.Context(), args, k, true, func(_ *flowLeft, letters []connectors.Letter) error {
				return letterTable(letters[0]).print(a.out)
			})
		},
	}
	k.add(cmd.Flags())
	return cmd
}

func (a *app) deadPurgeCommand() *cobra.Command {
	var k known
	var yes bool
	cmd := &cobra.Command{
		Use:   "purge FLOW [LETTER...]",
		Short: "Remove dead letters for good",
		Long:  "Remove these dead letters of a flow, or all of them, for good.\n\n" + letterArgument,
		Args:  atLeastOneFlow,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLetters(cmd.Context(), args, k, false, func(f *flowLeft, letters []connectors.Letter) error {
				return a.purgeLetters(cmd.Context(), f, letters, yes)
			})
		},
	}
	k.add(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	return cmd
}

// letterLine is a letter as ls --json prints it.
type letterLine struct {
	Letter    string `json:"letter"`
	Stored    string `json:"stored"`
	Code      string `json:"code"`
	Reason    string `json:"reason"`
	Event     string `json:"event,omitempty"`
	Subject   string `json:"subject"`
	Bytes     int    `json:"bytes"`
	Shortened string `json:"shortened,omitempty"`
}

// listLetters keeps of each letter what its line shows.
func (a *app) listLetters(ctx context.Context, f *flowLeft, asJSON bool) error {
	t := table{{"LETTER", "STORED", "CODE", "SUBJECT", "BYTES", "REASON"}}
	err := f.eachLetter(ctx, func(l *connectors.Letter) error {
		line := lineOfLetter(l)
		if asJSON {
			return a.writeJSON(line)
		}
		t = append(t, []string{line.Letter, stamp(time.Unix(0, l.Stored)), line.Code, line.Subject, strconv.Itoa(line.Bytes), line.Reason})
		return nil
	})
	if err != nil || asJSON {
		return err
	}
	return t.print(a.out)
}

func lineOfLetter(l *connectors.Letter) letterLine {
	line := letterLine{Letter: letterID(*l), Stored: instant(l.Stored), Code: l.Code, Reason: l.Reason, Subject: l.Message.Subject, Bytes: len(l.Message.Data), Shortened: l.Shortened}
	if l.Message.Source != nil {
		line.Event = string(l.Message.AppendEventID(nil))
	}
	return line
}

// letterTable shows all of a letter.
func letterTable(l connectors.Letter) table {
	t := table{{"dead letter " + letterID(l)}, {"  stored", instant(l.Stored)}, {"  reason", l.Code + ": " + l.Reason}}
	if l.Shortened != "" {
		t = append(t, []string{"  shortened", l.Shortened + ", for want of room"})
	}
	if m := l.Message; m.Source != nil {
		t = append(t, []string{"  source", fmt.Sprintf("sequence %d of stream %s, stored %s", m.Sequence, m.Source.Stream, instant(m.Time))})
	}
	t = append(t, []string{"  subject", l.Message.Subject})
	for _, name := range slices.Sorted(maps.Keys(l.Message.Headers)) {
		for _, value := range l.Message.Headers[name] {
			t = append(t, []string{"  header", name + ": " + value})
		}
	}
	return append(t, []string{"  body", string(l.Message.Data)})
}

func (a *app) purgeLetters(ctx context.Context, f *flowLeft, letters []connectors.Letter, yes bool) error {
	if len(letters) > 0 {
		if err := a.confirm(yes, fmt.Sprintf("remove %s of flow %s for good?", plural(uint64(len(letters)), "dead letter"), f.flow)); err != nil {
			return err
		}
	}
	for _, l := range letters {
		if err := f.deadConn().RemoveLetter(ctx, l.Stream, l.Sequence); err != nil {
			return remotely(err)
		}
	}
	_, err := fmt.Fprintf(printableWriter{a.out}, "removed %s of flow %s\n", plural(uint64(len(letters)), "dead letter"), f.flow)
	return err
}
