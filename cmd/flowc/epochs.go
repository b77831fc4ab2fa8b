package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/spf13/cobra"
)

func (a *app) epochsCommand() *cobra.Command {
	return group("epochs", "Show the certificates of a flow's epochs", a.epochsListCommand(), a.epochsShowCommand())
}

func (a *app) epochsListCommand() *cobra.Command {
	var n natsFlags
	var last int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls FLOW",
		Short: "List a flow's epochs, the newest first",
		Long:  "List a flow's epochs, and who took it over between them, the newest first.\n\n" + flowArgument,
		Args:  oneFlow,
		RunE: func(cmd *cobra.Command, args []string) error {
			if last <= 0 {
				return usagef("--last is a positive number, found %d", last)
			}
			return a.withLedger(cmd.Context(), args[0], n, func(l *left, ledger connectors.Ledger) error {
				return a.listEpochs(cmd.Context(), l, ledger, last, asJSON)
			})
		},
	}
	n.add(cmd.Flags())
	cmd.Flags().IntVar(&last, "last", 20, "`N` newest records")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) listEpochs(ctx context.Context, l *left, ledger connectors.Ledger, last int, asJSON bool) error {
	var records []exec.Entry
	for e, err := range exec.History(ctx, ledger) {
		if err != nil {
			return remotely(err)
		}
		if records = append(records, e); len(records) == last {
			break
		}
	}
	if asJSON {
		return a.writeJSON(struct {
			Flow    string       `json:"flow"`
			Records []exec.Entry `json:"records"`
		}{l.flow.String(), records})
	}
	return tableOf(records).print(a.out)
}

func tableOf(records []exec.Entry) table {
	t := table{{"EPOCH", "TIME", "READ", "IN", "OUT", "DUPLICATES", "BYTES", "ATTEMPT", "OWNER"}}
	for _, e := range records {
		row := []string{string(e.Kind), stamp(e.Written), "", "", "", "", ""}
		if e.Epoch != nil {
			row = []string{strconv.FormatUint(e.State.Epoch, 10), stamp(e.Written)}
			row = append(row, epochCells(e.Epoch)...)
		}
		t = append(t, append(row, strconv.FormatUint(e.Attempt, 10), owner(e.Owner)))
	}
	return t
}

// epochCells are what an epoch read and wrote.
func epochCells(e *exec.CertifiedEpoch) []string {
	var ranges []string
	in, out, duplicates, size := 0, 0, 0, int64(0)
	for _, r := range e.Ranges {
		ranges = append(ranges, fmt.Sprintf("%s %d-%d", r.Stream, r.First, r.Last))
		in += r.Records
	}
	for _, r := range e.Receipts {
		out += r.Rows
		duplicates += r.Duplicates
		size += r.Bytes
	}
	return []string{strings.Join(ranges, ", "), connectors.FormatCount(int64(in)), connectors.FormatCount(int64(out)), connectors.FormatCount(int64(duplicates)), connectors.FormatSize(size)}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func owner(o exec.Owner) string { return fmt.Sprintf("process %d on %s", o.PID, o.Host) }
