package main

import (
	"fmt"

	"github.com/flowlang/flow/lang"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func (a *app) checkCommand() *cobra.Command {
	var asJSON, permissions, connect bool
	var n natsFlags
	var params []string
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Parse and plan flows, without a server unless asked",
		Long: `Parse and plan flows. It takes neither a server nor secrets or parameters.

With --connect it also asks the servers what a run would meet: the account and its
limits, what the user is allowed, the streams, consumers and the ledger, how long
unread messages stay, and how well everything is kept. Nothing is changed there.`,
		Args: atLeastOneFile,
		RunE: func(cmd *cobra.Command, paths []string) error {
			switch {
			case connect && permissions:
				return usagef("--connect and --permissions are two checks: give one of them")
			case connect:
				return a.connected(cmd.Context(), paths, n, params, asJSON)
			case permissions:
				return a.permissions(paths, asJSON)
			}
			if err := onlyWithConnect(cmd); err != nil {
				return err
			}
			if asJSON {
				return a.checkJSON(paths)
			}
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object, with everything that was found")
	cmd.Flags().BoolVar(&connect, "connect", false, "ask the servers, too, and print a table of what was found")
	cmd.Flags().StringArrayVar(&params, "param", nil, "with --connect: the value of a parameter of the flow, `NAME=VALUE`")
	n.add(cmd.Flags())
	cmd.Flags().BoolVar(&permissions, "permissions", false, "print what the users that run the flows must be allowed to publish and subscribe to")
	return cmd
}

// onlyWithConnect refuses flags that mean nothing without a server.
func onlyWithConnect(cmd *cobra.Command) (err error) {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "json" && f.Name != "help" && err == nil {
			err = usagef("--%s goes with --connect: a check asks no server by itself", f.Name)
		}
	})
	return err
}

func (a *app) checkJSON(paths []string) error {
	plan, findings, err := a.compile(paths)
	answer := struct {
		judgement
		Flows []checkedFlow `json:"flows"`
	}{judgement: judge(findings, err)}
	if !answer.OK {
		return a.refuse(answer.judgement)
	}
	for _, f := range plan.Flows {
		answer.Flows = append(answer.Flows, checkedFlow{Name: f.Flow, Sources: len(f.Sources), Sinks: len(f.Sinks)})
	}
	return a.writeJSON(answer)
}

// checkedFlow is a good flow in JSON.
type checkedFlow struct {
	Name    string `json:"name"`
	Sources int    `json:"sources"`
	Sinks   int    `json:"sinks"`
}

func atLeastOneFile(cmd *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return usagef("%s needs a flow file, or - for standard input", cmd.CommandPath())
	}
	return nil
}
