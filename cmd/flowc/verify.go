package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/spf13/cobra"
)

// verifying are the flags of verify.
type verifying struct {
	known
	from, to            uint64
	repair, accept, yes bool
	asJSON              bool
}

func (a *app) verifyCommand() *cobra.Command {
	var v verifying
	cmd := &cobra.Command{
		Use:   "verify FLOW",
		Short: "Compare what a flow certified with what is there",
		Long: `Compare a flow's certificates with its destinations, and with its sources where only
they can tell. Nothing is changed without --repair or --accept; the flow may run.

Rows are missing, duplicate or out of order; they are removed where the destination's
own limits may have taken them, and unproven where the messages that they came from
are gone and nothing else tells them from others. The status is 0 only if every row is
there, once and in order; 1 if something is wrong; 3 if nothing is, and not all could
be verified.

--repair writes the missing rows again, from the source as far as it still holds them;
it needs the flow's file, and the flow must not run. --accept takes the destinations as
they are, after a stream was purged or made anew on purpose: later starts and later
verifying begin behind what is certified now.

` + flowArgument,
		Args: oneFlow,
		RunE: func(cmd *cobra.Command, args []string) error { return a.verify(cmd.Context(), args[0], v) },
	}
	flags := cmd.Flags()
	v.known.add(flags)
	flags.Uint64Var(&v.from, "from", 0, "the first `EPOCH` (default: the oldest one with a certificate)")
	flags.Uint64Var(&v.to, "to", 0, "the last `EPOCH` (default: the newest one)")
	flags.BoolVar(&v.repair, "repair", false, "write what is missing again")
	flags.BoolVar(&v.accept, "accept", false, "take the destinations as they are")
	flags.BoolVar(&v.yes, "yes", false, "accept without asking")
	flags.BoolVar(&v.asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) verify(ctx context.Context, flow string, v verifying) error {
	if v.repair && v.accept {
		return usagef("--repair and --accept are two ways to go on: choose one")
	}
	f, err := a.find(ctx, flow, v.known)
	if err != nil {
		return err
	}
	defer f.end()
	if v.accept {
		return a.acceptDestinations(ctx, f, v.yes)
	}
	if v.repair {
		if err := f.mustHaveFile("--repair"); err != nil {
			return err
		}
	}
	found, err := f.verify(ctx, v)
	if err != nil {
		return remotely(err)
	}
	var repaired []exec.Repaired
	if v.repair && found.Missing > 0 {
		if repaired, found, err = a.repair(ctx, f, v, found); err != nil {
			return err
		}
	}
	return a.tell(found, repaired, v.asJSON)
}

func (f *flowLeft) verify(ctx context.Context, v verifying) (*exec.Evidence, error) {
	return exec.Verify(ctx, exec.Verification{Flow: f.flow, Ledger: f.ledger, Source: f.conn, Destinations: f.archives(), From: v.from, To: v.to})
}

// repair writes what is missing again, and looks anew.
func (a *app) repair(ctx context.Context, f *flowLeft, v verifying, found *exec.Evidence) ([]exec.Repaired, *exec.Evidence, error) {
	if err := f.mustRest(ctx); err != nil {
		return nil, nil, err
	}
	repaired, err := exec.Repair(ctx, f.file, f.ledger, found, a.warn)
	if err != nil {
		return nil, nil, a.located(f.file, err)
	}
	found, err = f.verify(ctx, v)
	return repaired, found, remotely(err)
}

func (a *app) acceptDestinations(ctx context.Context, f *flowLeft, yes bool) error {
	if err := f.mustRest(ctx); err != nil {
		return err
	}
	if err := a.confirm(yes, "take the destinations as they are? What is missing there is given up."); err != nil {
		return err
	}
	e, err := exec.AcceptDestinations(ctx, f.ledger)
	if err != nil {
		return remotely(err)
	}
	_, err = fmt.Fprintf(printableWriter{a.out}, "flow %s takes its destinations as they are, up to epoch %d (record %d of the ledger)\n", f.flow, e.State.Epoch, e.Version)
	return err
}

// tell prints what was found, and makes the status of it.
func (a *app) tell(found *exec.Evidence, repaired []exec.Repaired, asJSON bool) error {
	var err error
	if asJSON {
		err = a.writeJSON(struct {
			Complete bool            `json:"complete"`
			Repaired []exec.Repaired `json:"repaired,omitempty"`
			*exec.Evidence
		}{found.Complete(), repaired, found})
	} else {
		err = a.evidence(found, repaired)
	}
	switch {
	case err != nil:
		return err
	case found.Faulty():
		return &failure{status: statusFailed}
	case !found.Complete():
		return &failure{status: statusSurrounding}
	}
	return nil
}

func (a *app) evidence(found *exec.Evidence, repaired []exec.Repaired) error {
	t := table{{fmt.Sprintf("flow %s, epochs %d to %d: %s", found.Flow, found.From, found.To, plural(uint64(found.Epochs), "certificate"))}}
	t = append(t, []string{"  ledger", reach(found.Ledger)})
	for _, h := range found.Holes {
		t = append(t, []string{"  hole", fmt.Sprintf("records between epochs %d and %d are gone from the ledger", h.After, h.Before)})
	}
	for _, r := range repaired {
		t = append(t, []string{"  repaired", repairedText(r)})
	}
	for _, d := range found.Destinations {
		t = append(t, []string{"  stream", fmt.Sprintf("%s: %s", streamAs(d), counted(d.RowCounts))})
	}
	if err := t.print(a.out); err != nil {
		return err
	}
	if len(found.Lots) > 0 {
		if err := faults(found.Lots).print(a.out); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(printableWriter{a.out}, verdict(found, len(repaired) > 0))
	return err
}

// streamAs names a stream, and what has become of it.
func streamAs(d exec.Destination) string {
	if d.State == exec.Unchanged {
		return d.Stream
	}
	return fmt.Sprintf("%s (%s)", d.Stream, d.State)
}

func reach(r exec.Reach) string {
	text := fmt.Sprintf("%s, back to epoch %d of %s", r.Description, r.Oldest, r.OldestTime.UTC().Format(time.RFC3339))
	if r.Cut {
		text += "; older certificates were dropped"
	}
	if r.Accepted > 0 {
		text += fmt.Sprintf("; epochs up to %d were accepted as they are", r.Accepted)
	}
	return text
}

func repairedText(r exec.Repaired) string {
	text := fmt.Sprintf("epoch %d: %s written again", r.Epoch, plural(uint64(r.Rows), "row"))
	if r.Refused > 0 {
		text += fmt.Sprintf(", %d not stored: the stream still remembers their ids; repair again when its duplicate window is over", r.Refused)
	}
	if r.Failed != "" {
		text = r.Failed
	}
	return text
}

func counted(c exec.RowCounts) string {
	n := func(count int) string { return connectors.FormatCount(int64(count)) }
	text := fmt.Sprintf("%s of %s found, %s missing, %s duplicate, %s out of order", n(c.Found), plural(uint64(c.Rows), "row"), n(c.Missing), n(c.Duplicate), n(c.OutOfOrder))
	if c.Removed > 0 {
		text += fmt.Sprintf(", %s removed by its limits", n(c.Removed))
	}
	if c.Unproven > 0 {
		text += fmt.Sprintf(", %s unproven", n(c.Unproven))
	}
	if c.Altered > 0 {
		text += fmt.Sprintf(", %s with another content", plural(uint64(c.Altered), "receipt"))
	}
	return text
}

func faults(lots []exec.LotEvidence) table {
	t := table{{"EPOCH", "STREAM", "RESOURCE", "ROWS", "FOUND", "MISSING", "DUPLICATE", "OUT OF ORDER", "REMOVED", "UNPROVEN", "ALTERED"}}
	for _, l := range lots {
		row := []string{strconv.FormatUint(l.Epoch, 10), l.Stream, l.Resource}
		for _, n := range []int{l.Rows, l.Found, l.Missing, l.Duplicate, l.OutOfOrder, l.Removed, l.Unproven, l.Altered} {
			row = append(row, connectors.FormatCount(int64(n)))
		}
		t = append(t, row)
	}
	return t
}

func verdict(e *exec.Evidence, repaired bool) string {
	switch {
	case e.Complete():
		return "all there, once and in order"
	case e.Missing > 0 && repaired:
		return "not all is there, and what is said above of the repair is why; --accept takes it as it is"
	case e.Missing > 0:
		return "not all is there; what the source still holds is written again by: flowc verify FILE --repair"
	case e.Faulty():
		return "not as certified"
	}
	return "nothing is wrong as far as can be seen, and not all can be seen"
}
