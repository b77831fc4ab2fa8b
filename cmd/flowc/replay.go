package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/internal/safejson"
	"github.com/flowlang/flow/planner"
	"github.com/spf13/cobra"
)

func (a *app) replayCommand() *cobra.Command {
	var k known
	var epoch uint64
	var to string
	cmd := &cobra.Command{
		Use:   "replay FILE --epoch N",
		Short: "Show what a flow makes of a certified epoch",
		Long: `Read the messages of a certified epoch again, without touching the flow's consumers,
and print what the flow would write, one JSON object a line. Nothing is written.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s needs one file", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case epoch == 0:
				return usagef("--epoch says which epoch; they are numbered from 1")
			case to != "stdout":
				return usagef("--to knows stdout, found %q%s", to, meant(to, "", []string{"stdout"}))
			}
			return a.replay(cmd.Context(), args[0], k, epoch)
		},
	}
	k.add(cmd.Flags())
	cmd.Flags().Uint64Var(&epoch, "epoch", 0, "the number `N` of the epoch")
	cmd.Flags().StringVar(&to, "to", "stdout", "where it goes: `stdout`")
	return cmd
}

func (a *app) replay(ctx context.Context, path string, k known, epoch uint64) error {
	f, err := a.find(ctx, path, k)
	if err != nil {
		return err
	}
	defer f.end()
	if err := f.mustHaveFile("a replay"); err != nil {
		return err
	}
	err = exec.Replay(ctx, f.file, f.ledger, epoch, a.warn, func(p connectors.Prepared) error {
		return writeReplayed(a.out, p)
	})
	return a.located(f.file, err)
}

func writeReplayed(to io.Writer, p connectors.Prepared) error {
	data := json.RawMessage(p.Data)
	if len(data) == 0 { // the deletion of a key: null
		data = nil
	}
	return safejson.Write(to, replayed{Stream: p.Stream, Subject: p.Subject, Headers: p.Headers, Data: data, Event: string(p.From.AppendEventID(nil))})
}

// replayed is a message that a flow would write.
type replayed struct {
	Stream  string              `json:"stream"`
	Subject string              `json:"subject"`
	Headers map[string][]string `json:"headers"`
	Data    json.RawMessage     `json:"data"`
	Event   string              `json:"event"` // the id of what it comes from
}

// located prints an error at its place in the flow's file, if it has one, and gives it
// its status.
func (a *app) located(f *planner.Flow, err error) error {
	if err == nil {
		return nil
	}
	return &failure{status: a.runFailed(f, err, false)}
}
