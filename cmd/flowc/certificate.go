package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/spf13/cobra"
)

func (a *app) epochsShowCommand() *cobra.Command {
	var n natsFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show FLOW N",
		Short: "Show the certificate of an epoch",
		Long:  "Show the whole certificate of an epoch. It is looked for from the newest one on,\nwith one read of the ledger each.\n\n" + flowArgument,
		Args:  flowAnd("the number of an epoch"),
		RunE: func(cmd *cobra.Command, args []string) error {
			epoch, err := strconv.ParseUint(args[1], 10, 64)
			if err != nil || epoch == 0 {
				return usagef("epochs are numbered from 1, found %q", args[1])
			}
			return a.withLedger(cmd.Context(), args[0], n, func(_ *left, ledger connectors.Ledger) error {
				return a.showEpoch(cmd.Context(), ledger, epoch, asJSON)
			})
		},
	}
	n.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) showEpoch(ctx context.Context, ledger connectors.Ledger, epoch uint64, asJSON bool) error {
	e, err := exec.Certificate(ctx, ledger, epoch)
	if err != nil {
		return remotely(err)
	}
	if asJSON {
		return a.writeJSON(e)
	}
	return certificate(e, ledger).print(a.out)
}

// certificate shows all of an epoch's certificate.
func certificate(e exec.Entry, ledger connectors.Ledger) table {
	t := table{
		{fmt.Sprintf("epoch %d of %s", e.State.Epoch, e.Flow)},
		{"  certified", stamp(e.Written)},
		{"  owner", fmt.Sprintf("%s, since %s, attempt %d", owner(e.Owner), stamp(e.Owner.Started), e.Attempt)},
		{"  fingerprint", e.Fingerprint},
		{"  ledger", fmt.Sprintf("entry %d of %s", e.Version, ledger)},
	}
	for _, r := range e.Epoch.Ranges {
		t = append(t, []string{"  read", fmt.Sprintf("%s from sequences %s to %s of stream %s", plural(uint64(r.Records), "message"), connectors.FormatCount(int64(r.First)), connectors.FormatCount(int64(r.Last)), r.Stream)})
	}
	for _, r := range e.Epoch.Receipts {
		t = append(t, []string{"  written", receipt(r)})
	}
	for _, p := range e.State.Positions {
		t = append(t, []string{"  position", fmt.Sprintf("sequence %s of stream %s, stored %s; the stream was made %s", connectors.FormatCount(int64(p.Sequence)), p.Stream, instant(p.Time), instant(p.Created))})
	}
	for _, resource := range slices.Sorted(maps.Keys(e.State.Schemas)) {
		t = append(t, []string{"  schema", fmt.Sprintf("%s, in entry %d of the ledger", resource, e.State.Schemas[resource])})
	}
	for phase := exec.Phase(0); phase < exec.Certifying; phase++ {
		if took, ok := e.Epoch.Times[phase.String()]; ok {
			t = append(t, []string{"  " + phase.String(), time.Duration(took).Round(time.Microsecond).String()})
		}
	}
	return t
}

func receipt(r connectors.Receipt) string {
	text := fmt.Sprintf("%s of %s into stream %s, %s, %s", plural(uint64(r.Rows), "row"), r.Resource, r.Stream, connectors.FormatSize(r.Bytes), plural(uint64(r.Duplicates), "duplicate"))
	if r.First > 0 {
		text += fmt.Sprintf(", sequences %s to %s", connectors.FormatCount(int64(r.First)), connectors.FormatCount(int64(r.Last)))
	}
	return text + fmt.Sprintf(", CRC32C %08x; the stream was made %s", r.CRC32C, instant(r.Created))
}

// instant shows Unix time in nanoseconds with all of its digits: positions and
// streams are told apart by them.
func instant(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }
