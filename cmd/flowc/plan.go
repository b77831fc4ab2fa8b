package main

import (
	"io"
	"slices"

	"github.com/flowlang/flow/planner"
	"github.com/spf13/cobra"
)

// planFormats are what --format takes.
var planFormats = []string{"text", "json", "mermaid", "dot"}

func (a *app) planCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Say what would run, without a server",
		Args:  atLeastOneFile,
		RunE: func(_ *cobra.Command, paths []string) error {
			if !slices.Contains(planFormats, format) {
				return usagef("--format is text, json, mermaid or dot, found %q", format)
			}
			if format == "json" {
				return a.planJSON(paths)
			}
			plan, err := a.load(paths)
			if err != nil {
				return err
			}
			return writePlan(plan, format, printableWriter{a.out})
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json, mermaid or dot")
	return cmd
}

func writePlan(plan *planner.Plan, format string, w io.Writer) error {
	switch format {
	case "mermaid":
		return plan.WriteMermaid(w)
	case "dot":
		return plan.WriteDOT(w)
	}
	return plan.WriteText(w)
}

func (a *app) planJSON(paths []string) error {
	plan, findings, err := a.compile(paths)
	answer := struct {
		judgement
		Flows []*planner.Flow `json:"flows"`
	}{judgement: judge(findings, err)}
	if !answer.OK {
		return a.refuse(answer.judgement)
	}
	answer.Flows = plan.Flows
	return a.writeJSON(answer)
}
