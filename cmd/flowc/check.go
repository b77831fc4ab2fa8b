package main

import (
	"fmt"

	"github.com/flowlang/flow/lang"
	"github.com/spf13/cobra"
)

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE...",
		Short: "Parse and plan flows, without a server",
		Args:  atLeastOneFile,
		RunE: func(_ *cobra.Command, paths []string) error {
			plan, err := a.load(paths)
			if err != nil {
				return err
			}
			for _, f := range plan.Flows {
				fmt.Fprintf(a.out, "%s: ok, %d from, %d to\n", lang.Printable(f.Flow), len(f.Sources), len(f.Sinks))
			}
			return nil
		},
	}
}

func (a *app) planCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "plan FILE...",
		Short: "Say what would run, without a server",
		Args:  atLeastOneFile,
		RunE: func(_ *cobra.Command, paths []string) error {
			plan, err := a.load(paths)
			if err != nil {
				return err
			}
			return plan.WriteText(printableWriter{a.out})
		},
	}
}

func atLeastOneFile(cmd *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return usagef("%s needs a flow file, or - for standard input", cmd.CommandPath())
	}
	return nil
}
