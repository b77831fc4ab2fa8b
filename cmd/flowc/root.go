package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "flowc",
		Short: "Move messages through NATS JetStream without losing one",
		Long: `flowc checks and runs flows: small programs that say where messages come from,
what happens to them, and where they go.

    from nats "orders.>" epoch 1000/1s to nats stream "<resource>" subject "<resource>.v1"`,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.errs)
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "colored output: auto, always or never; NO_COLOR is heeded")
	root.PersistentFlags().StringVar(&a.namespace, "namespace", planner.DefaultNamespace, "`NAME` within which the flows' names are unique")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := noEmptyFlags(cmd); err != nil {
			return err
		}
		return a.checkGlobals()
	}
	root.AddCommand(a.runCommand(), a.demoCommand(), a.runsCommand(), a.checkCommand(), a.planCommand(), a.fmtCommand(), a.testCommand(), a.explainCommand(), a.epochsCommand(), a.verifyCommand(), a.replayCommand(), a.deadCommand(), a.schemaCommand(), a.removeCommand(), a.lspCommand(), a.versionCommand())
	root.AddCommand(a.controlCommands()...)
	root.InitDefaultCompletionCmd()
	return root
}

func (a *app) checkGlobals() error {
	if !slices.Contains([]string{"auto", "always", "never"}, a.color) {
		return usagef("--color is auto, always or never, found %q", a.color)
	}
	if !validName(a.namespace) {
		return usagef("--namespace takes letters, digits, - and _, found %q", a.namespace)
	}
	return nil
}

// validName says whether a namespace, or a flow in one, may have this name.
func validName(name string) bool {
	return name != "" && len(name) <= 100 && strings.IndexFunc(name, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

// noEmptyFlags refuses a flag that is given and says nothing, such as an unset
// variable in a script leaves it.
func noEmptyFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" {
			err = usagef("--%s is empty", f.Name)
		}
	})
	return err
}

// meant asks whether one of the known words was meant; it is empty if none is near.
func meant(word, prefix string, known []string) string {
	if nearest, ok := lang.Nearest(word, known); ok {
		return fmt.Sprintf("; did you mean %s%s?", prefix, nearest)
	}
	return ""
}

// flagError adds what was probably meant to an error about a flag.
func flagError(cmd *cobra.Command, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		var known []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
		text += meant(name, "--", known)
	}
	return usagef("%s (see %s --help)", text, cmd.CommandPath())
}
