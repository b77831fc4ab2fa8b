package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/exec"
	"github.com/spf13/cobra"
)

func (a *app) schemaCommand() *cobra.Command {
	return group("schema", "Show or reset the schemas that a flow keeps",
		a.schemaListCommand(), a.schemaShowCommand(), a.schemaResetCommand())
}

func (a *app) schemaListCommand() *cobra.Command {
	var n natsFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls FLOW",
		Short: "List the schemas of a flow's resources",
		Long:  "List the schemas that hold after a flow's last certified epoch.\n\n" + flowArgument,
		Args:  oneFlow,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLedger(cmd.Context(), args[0], n, func(l *left, ledger connectors.Ledger) error {
				return a.listSchemas(cmd.Context(), l, ledger, asJSON)
			})
		},
	}
	n.add(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) schemaShowCommand() *cobra.Command {
	var n natsFlags
	var version uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show FLOW RESOURCE",
		Short: "Show a schema as a clause for a flow",
		Long:  "Show the schema of a resource as a clause that can be pasted into a flow.\n\n" + flowArgument,
		Args:  flowAndResource,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLedger(cmd.Context(), args[0], n, func(_ *left, ledger connectors.Ledger) error {
				return a.showSchema(cmd.Context(), ledger, args[1], version, asJSON)
			})
		},
	}
	n.add(cmd.Flags())
	cmd.Flags().Uint64Var(&version, "version", 0, "an earlier `VERSION`, as certificates name it (default: the one that holds)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *app) schemaResetCommand() *cobra.Command {
	var n natsFlags
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset FLOW RESOURCE",
		Short: "Make a flow forget the schema of a resource",
		Long: `Make a flow forget the schema of a resource, which its next message fixes anew. What
is certified stays so, and reading goes on where it was.

The flow must not run. That somebody waits for messages shows at the server, and is
refused; one who is busy at that moment shows nowhere. Such a run stops at its next
certificate, certifies and acknowledges nothing more, and leaves its open epoch to
the next run.

` + flowArgument,
		Args: flowAndResource,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLedger(cmd.Context(), args[0], n, func(l *left, ledger connectors.Ledger) error {
				return a.resetSchema(cmd.Context(), l, ledger, args[1], yes)
			})
		},
	}
	n.add(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do it without asking")
	return cmd
}

// flowAndResource are the arguments of what is about one schema.
var flowAndResource = flowAnd("the name of a resource")

func (a *app) listSchemas(ctx context.Context, l *left, ledger connectors.Ledger, asJSON bool) error {
	kept, err := exec.KeptSchemas(ctx, ledger)
	if err != nil {
		return remotely(err)
	}
	if asJSON {
		return a.writeJSON(struct {
			Flow    string            `json:"flow"`
			Schemas []exec.KeptSchema `json:"schemas"`
		}{l.flow.String(), append([]exec.KeptSchema{}, kept...)})
	}
	t := table{{"RESOURCE", "VERSION", "COLUMNS", "FROM"}}
	for _, k := range kept {
		from := "messages"
		if k.Schema.Declared {
			from = "the flow"
		}
		columns := strconv.Itoa(len(k.Schema.Columns))
		if k.Schema.Shape == rows.Raw {
			columns = "raw"
		}
		t = append(t, []string{k.Resource, strconv.FormatUint(k.Version, 10), columns, from})
	}
	return t.print(a.out)
}

func (a *app) showSchema(ctx context.Context, ledger connectors.Ledger, resource string, version uint64, asJSON bool) error {
	kept, err := exec.SchemaOf(ctx, ledger, resource, version)
	switch {
	case err != nil:
		return remotely(err)
	case asJSON:
		return a.writeJSON(kept)
	case kept.Schema.Shape != rows.Object:
		return remotely(connectors.Errorf(connectors.Permanent, "the messages of resource %s are no JSON objects, and no schema clause describes them", resource).
			WithHelp("they are raw bytes in the column payload"))
	}
	_, err = fmt.Fprintln(printableWriter{a.out}, schemaClause(kept.Schema))
	return err
}

// schemaClause writes a schema as a flow declares it. A type that no message has
// fixed yet becomes json, which takes any value.
func schemaClause(s rows.Schema) string {
	return "schema " + rows.Schema{Columns: declared(s.Columns), Open: s.Open}.String()
}

func declared(columns []rows.Column) []rows.Column {
	all := make([]rows.Column, len(columns))
	for i, c := range columns {
		all[i] = rows.Column{Name: c.Name, Type: declaredType(c.Type)}
	}
	return all
}

func declaredType(t rows.Type) rows.Type {
	if t.Kind == rows.Open {
		t.Kind = rows.JSON
	}
	if t.Elem != nil {
		elem := declaredType(*t.Elem)
		t.Elem = &elem
	}
	t.Fields = declared(t.Fields)
	return t
}

func (a *app) resetSchema(ctx context.Context, l *left, ledger connectors.Ledger, resource string, yes bool) error {
	kept, err := exec.SchemaOf(ctx, ledger, resource, 0)
	if err != nil {
		return remotely(err)
	}
	if err := l.mustRest(ctx); err != nil {
		return err
	}
	if err := a.confirm(yes, fmt.Sprintf("forget the schema of %s, with %s?", resource, plural(uint64(len(kept.Schema.Columns)), "column"))); err != nil {
		return err
	}
	e, err := exec.ResetSchema(ctx, ledger, resource)
	if err != nil {
		return remotely(err)
	}
	_, err = fmt.Fprintf(printableWriter{a.out}, "flow %s forgets the schema of %s (entry %d of the ledger); its columns stay there in entry %d, unused\n", l.flow, resource, e.Version, kept.Version)
	return err
}
