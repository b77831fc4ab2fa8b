package main

import (
	"context"
	"fmt"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/spf13/cobra"
)

func (a *app) deadReplayCommand() *cobra.Command {
	var k known
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay FILE [LETTER...]",
		Short: "Let dead letters go through their flow again",
		Long: `Let these dead letters of a flow, or all of them, go through the flow as its file is
now, and remove those whose rows are written.

Each row is that of the original event, with its event id and message id: nothing else
that reads the source sees the message again, and a repetition is dropped within the
destination's duplicate window. Later than that, rows that a replay had announced in the
ledger before it was cut are looked for, and not written again if they are there. The
flow may run meanwhile, and so may another replay. What the flow filters is
removed too; what is bad still stays, and makes the status 1.

` + letterArgument,
		Args: atLeastOneFlow,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLetters(cmd.Context(), args, k, true, func(f *flowLeft, letters []connectors.Letter) error {
				return a.replayLetters(cmd.Context(), f, letters, asJSON)
			})
		},
	}
	k.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return cmd
}

func (a *app) replayLetters(ctx context.Context, f *flowLeft, letters []connectors.Letter, asJSON bool) error {
	if err := f.mustHaveFile("a replay"); err != nil {
		return err
	}
	failed, rows := 0, 0
	err := exec.ReplayLetters(ctx, f.file, f.ledger, letters, a.warn, func(l exec.ReplayedLetter) {
		rows += l.Rows
		if l.Failed != "" {
			failed++
		}
		a.toldLetter(l, asJSON)
	})
	if err != nil {
		return a.located(f.file, err)
	}
	if !asJSON {
		fmt.Fprintf(printableWriter{a.out}, "%d of %s replayed, %s written\n", len(letters)-failed, plural(uint64(len(letters)), "dead letter"), plural(uint64(rows), "row"))
	}
	if failed > 0 {
		return &failure{status: statusFailed}
	}
	return nil
}

// toldLetter prints what became of a letter; that printing failed shows in the status.
func (a *app) toldLetter(l exec.ReplayedLetter, asJSON bool) {
	if asJSON {
		_ = a.writeJSON(l)
		return
	}
	if l.Failed != "" {
		fmt.Fprintf(printableWriter{a.out}, "%s/%d stays: %s\n", l.Stream, l.Sequence, l.Failed)
	}
}
