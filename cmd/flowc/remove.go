package main

import (
	"context"
	"fmt"

	"github.com/flowlang/flow/connectors"
	"github.com/spf13/cobra"
)

func (a *app) removeCommand() *cobra.Command {
	var n natsFlags
	var yes bool
	cmd := &cobra.Command{
		Use:   "rm FLOW",
		Short: "Remove what a flow left in an account, except data",
		Long: `List what a flow left in an account, its consumers, its part of the ledger and its
markers, and remove it. Streams and their messages stay.

A run of the flow that goes on meanwhile finds its records gone, and stops. Without
them a later run reads everything from the beginning.

` + flowArgument,
		Args: oneFlow,
		RunE: func(cmd *cobra.Command, args []string) error { return a.remove(cmd.Context(), args[0], n, yes) },
	}
	n.add(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	return cmd
}

func (a *app) remove(ctx context.Context, flow string, n natsFlags, yes bool) error {
	l, err := a.open(ctx, flow, n)
	if err != nil {
		return err
	}
	defer l.conn.Close()
	marked, err := l.marked(ctx)
	if err != nil {
		return remotely(err)
	}
	remains, err := l.conn.Remains(ctx, l.flow, marked...)
	if err != nil {
		return remotely(err)
	}
	if remains.Empty() {
		fmt.Fprintf(printableWriter{a.out}, "flow %s left nothing on %s\n", l.flow, l.conn)
		return nil
	}
	fmt.Fprintf(printableWriter{a.out}, "flow %s left on %s:\n", l.flow, l.conn)
	if err := remainsTable(remains).print(a.out); err != nil {
		return err
	}
	if !removable(remains) {
		return nil
	}
	if err := a.confirm(yes, "remove this? A later run then reads everything again."); err != nil {
		return err
	}
	if err := l.conn.Remove(ctx, l.flow, remains); err != nil {
		return remotely(err)
	}
	return a.checkRemoved(ctx, l)
}

// checkRemoved looks again: a run that goes on may have written in between.
func (a *app) checkRemoved(ctx context.Context, l *left) error {
	remains, err := l.conn.Remains(ctx, l.flow)
	if err != nil {
		return remotely(err)
	}
	if removable(remains) {
		return remotely(connectors.Errorf(connectors.Permanent, "flow %s has left something again: it runs, or ran just now", l.flow).
			WithHelp("stop it, and remove again"))
	}
	fmt.Fprintln(a.out, "removed; streams and their messages are as they were")
	return nil
}

// removable says whether there is anything that is not kept.
func removable(remains connectors.Remains) bool {
	for _, r := range remains.Readers {
		if r.Kept == "" {
			return true
		}
	}
	return len(remains.Chains)+len(remains.Markers) > 0
}

func remainsTable(remains connectors.Remains) table {
	var t table
	for _, r := range remains.Readers {
		text := plural(r.Unread, "unread message")
		if r.InUse {
			text += ", in use by a run that will stop"
		}
		if r.Kept != "" {
			text += ", kept: " + r.Kept + fmt.Sprintf(" (nats consumer rm %s %s)", r.Stream, r.Name)
		}
		t = append(t, []string{"  consumer", fmt.Sprintf("%s of stream %s", r.Name, r.Stream), text})
	}
	for _, m := range remains.Markers {
		t = append(t, []string{"  marker", fmt.Sprintf("%s of stream %s", m.Subject, m.Stream), ""})
	}
	for _, c := range remains.Chains {
		t = append(t, []string{"  ledger", c.Name, plural(c.Entries, "entry")})
	}
	return t
}
