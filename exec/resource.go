package exec

import (
	"context"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
)

// resource is what a flow knows of one resource between epochs. Its schema is that of
// the last certified epoch; what an epoch adds counts once it is certified.
type resource struct {
	name     string
	schema   rows.Schema // as certified
	version  uint64      // of schema in the ledger; 0 if it has none
	declared rows.Schema
	// newest is the schema of the epoch that was decoded last. It belongs to whoever
	// reads; recovery makes it the certified one again.
	newest rows.Schema
}

func (r *resource) chain() string { return schemaChainOf(r.name) }

// schemaChainOf is a resource's chain in the ledger. A name that no chain can have
// is written in base32, after a character that no name has.
func schemaChainOf(resource string) string {
	token := resource
	if strings.ContainsFunc(token, func(c rune) bool { return !chainRune(c) }) {
		token = "=" + base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString([]byte(token))
	}
	return schemaChain + token
}

func chainRune(r rune) bool {
	return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

// load takes the schema that the last certificate names.
func (r *resource) load(ctx context.Context, ledger connectors.Ledger, version uint64) error {
	err := r.loadCertified(ctx, ledger, version)
	r.newest = r.schema
	return err
}

func (r *resource) loadCertified(ctx context.Context, ledger connectors.Ledger, version uint64) error {
	if version == r.version {
		return nil
	}
	if version == 0 {
		r.schema, r.version = r.declared, 0
		return nil
	}
	kept, err := readSchema(ctx, ledger, r.name, version)
	if err != nil {
		return err
	}
	r.schema, r.version = r.declared, version
	if continues(r.declared, kept) {
		r.schema = kept
	}
	return nil
}

// readSchema reads a version of a resource's schema from the ledger.
func readSchema(ctx context.Context, ledger connectors.Ledger, resource string, version uint64) (schema rows.Schema, err error) {
	entry, err := ledger.At(ctx, schemaChainOf(resource), version)
	if err != nil {
		return schema, fmt.Errorf("schema of resource %s: %w", resource, err)
	}
	if err := json.Unmarshal(entry.Data, &schema); err != nil {
		return schema, fmt.Errorf("schema of resource %s, entry %d of the ledger: %w", resource, version, err)
	}
	return schema, nil
}

// continues says whether the kept schema is what the flow declares, or came of it
// by members that messages brought. Without a declaration any inferred one does.
func continues(declared, kept rows.Schema) bool {
	if kept.Declared != declared.Declared || kept.Open != declared.Open || len(kept.Columns) < len(declared.Columns) {
		return false
	}
	kept.Columns = kept.Columns[:len(declared.Columns)]
	return !declared.Declared || kept.Equal(declared)
}

// save appends an epoch's schema to the ledger if the epoch changed it, and returns
// the version that holds it.
func (r *resource) save(ctx context.Context, ledger connectors.Ledger, schema rows.Schema) (uint64, error) {
	if schema.Equal(r.schema) {
		return r.version, nil
	}
	data, err := json.Marshal(schema)
	if err != nil {
		return 0, err
	}
	last, err := ledger.Last(ctx, r.chain())
	if err != nil {
		return 0, err
	}
	if string(last.Data) == string(data) {
		return last.Version, nil // left by an epoch that was not certified
	}
	written, err := ledger.Append(ctx, r.chain(), last.Version, data)
	if errors.Is(err, connectors.ErrSuperseded) { // only the epoch chain tells who owns the flow
		return 0, fmt.Errorf("schema of resource %s: another one was written meanwhile: %w", r.name, connectors.ErrInterrupted)
	}
	return written, err
}
