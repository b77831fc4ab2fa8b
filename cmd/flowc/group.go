package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// group is a command that has others, and shows them if none is named.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  knownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// knownCommand refuses an unknown command of a group, and says what was meant.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		known = append(known, c.Name())
	}
	return usagef("unknown command %q for %q, which has %s%s", args[0], cmd.CommandPath(), strings.Join(known, ", "), meant(args[0], "", known))
}
