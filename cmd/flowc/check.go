package main

import (
	"fmt"

	"github.com/flowlang/flow/lang"
	"github.com/spf13/cobra"
)

func (a *app) checkCommand() *cobra.Command {
	var asJSON, permissions bool
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Parse and plan flows, without a server",
		Args:  atLeastOneFile,
		RunE: func(_ *cobra.Command, paths []string) error {
			if permissions {
				return a.permissions(paths, asJSON)
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
	cmd.Flags().BoolVar(&permissions, "permissions", false, "print what the users that run the flows must be allowed to publish and subscribe to")
	return cmd
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
