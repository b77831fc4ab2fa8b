package main

import (
	"path/filepath"

	"github.com/spf13/cobra"
)

// flowArgument is what the commands say of their argument FLOW.
const flowArgument = `FLOW is a flow's name, in the --namespace, and the NATS flags say where it ran; or
it is the flow's file, ending in .flow, whose connection is used.`

func oneFlow(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s needs one flow: its name, or its file", cmd.CommandPath())
	}
	return nil
}

func atLeastOneFlow(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s needs a flow: its name, or its file", cmd.CommandPath())
	}
	return nil
}

// flowAnd wants a flow and one thing more.
func flowAnd(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 2 {
			return usagef("%s needs a flow and %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// isFile says whether an argument FLOW is a file, and not a name.
func isFile(flow string) bool { return flow == stdin || filepath.Ext(flow) == ".flow" }
