package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
)

// KeptSchema is a version of a resource's schema, as the ledger holds it.
type KeptSchema struct {
	Resource string      `json:"resource"`
	Version  uint64      `json:"version"`
	Schema   rows.Schema `json:"schema"`
}

// KeptSchemas are those that hold after the last certified epoch, by resource.
func KeptSchemas(ctx context.Context, ledger connectors.Ledger) ([]KeptSchema, error) {
	c := chain{ledger: ledger}
	last, _, err := c.newestRecord(ctx)
	if err != nil {
		return nil, err
	}
	var kept []KeptSchema
	for _, resource := range slices.Sorted(maps.Keys(last.State.Schemas)) {
		k := KeptSchema{Resource: resource, Version: last.State.Schemas[resource]}
		if k.Schema, err = readSchema(ctx, ledger, resource, k.Version); err != nil {
			return nil, err
		}
		kept = append(kept, k)
	}
	return kept, nil
}

// SchemaOf is a version of a resource's schema, or the one that holds if version
// is 0.
func SchemaOf(ctx context.Context, ledger connectors.Ledger, resource string, version uint64) (KeptSchema, error) {
	if version == 0 {
		c := chain{ledger: ledger}
		last, _, err := c.newestRecord(ctx)
		if err != nil {
			return KeptSchema{}, err
		}
		if version, err = versionOf(last.Flow, last.State, resource); err != nil {
			return KeptSchema{}, err
		}
	}
	schema, err := readSchema(ctx, ledger, resource, version)
	return KeptSchema{Resource: resource, Version: version, Schema: schema}, err
}

func versionOf(flow string, state State, resource string) (uint64, error) {
	version, ok := state.Schemas[resource]
	if ok {
		return version, nil
	}
	names := slices.Sorted(maps.Keys(state.Schemas))
	e := connectors.Errorf(connectors.Permanent, "flow %s keeps no schema of a resource %q", flow, resource)
	if len(names) == 0 {
		return 0, e.WithHelp("it keeps none at all")
	}
	return 0, e.WithHelp("it keeps those of %s", strings.Join(names, ", "))
}

// ResetSchema makes the flow forget the schema of a resource: its next messages
// fix it anew, or the flow's declaration does. Positions stay. An owner that runs
// meanwhile is superseded: it stops before it certifies anything more. If it
// certifies first, ResetSchema changes nothing and fails with ErrSuperseded.
func ResetSchema(ctx context.Context, ledger connectors.Ledger, resource string) (Entry, error) {
	c, err := takeOver(ctx, ledger)
	if err != nil {
		return Entry{}, err
	}
	state := c.state
	if _, err := versionOf(c.flow, state, resource); err != nil {
		return Entry{}, err
	}
	state.Schemas = maps.Clone(state.Schemas)
	delete(state.Schemas, resource)
	err = c.append(ctx, ResetRecord, state)
	if errors.Is(err, connectors.ErrSuperseded) {
		return Entry{}, fmt.Errorf("nothing was changed, since the flow runs: %w", err)
	}
	if err != nil {
		return Entry{}, err
	}
	return c.entry(ctx)
}
