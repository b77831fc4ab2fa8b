package connectors

import "context"

// Ledger holds what a flow must remember, as chains of entries that are only
// ever appended to. A chain is named by tokens of letters, digits, '_' and '-'
// joined with dots, such as "epoch" or "schema.orders".
type Ledger interface {
	// String says where the ledger is, for a person.
	String() string
	// Last is the newest entry of a chain, never a stale one. Version 0 is an empty chain.
	Last(ctx context.Context, chain string) (Entry, error)
	// At is the entry of a chain with that version. It fails with ErrNoEntry where
	// the entry is not there: the oldest ones of a chain may be dropped.
	At(ctx context.Context, chain string, version uint64) (Entry, error)
	// Next is the oldest entry of a chain whose version is greater than after.
	// Version 0 says that there is none.
	Next(ctx context.Context, chain string, after uint64) (Entry, error)
	// Append adds an entry, if the newest one still has the version previous (0
	// for an empty chain); else it fails with ErrSuperseded. It returns the new
	// version. An append whose outcome was lost is looked up: equal data in the
	// newest entry means that it was written, so data must be unique to its writer.
	Append(ctx context.Context, chain string, previous uint64, data []byte) (uint64, error)
	// Siblings are the flows of the same namespace that have a run specification in
	// the same place, by name, this one included.
	Siblings(ctx context.Context) ([]string, error)
}

// Entry is one entry of a chain. Versions grow along a chain.
type Entry struct {
	Version uint64
	Data    []byte
}
