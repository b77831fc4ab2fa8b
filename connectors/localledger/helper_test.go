package localledger

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/flowlang/flow/connectors"
)

var someFlow = connectors.Identity{Namespace: "default", Flow: "orders"}

// notices are what a directory reported.
type notices struct {
	mu  sync.Mutex
	all []connectors.Notice
}

func (n *notices) add(notice connectors.Notice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, notice)
}

func openDirectory(t testing.TB, path string) (*Directory, *notices) {
	t.Helper()
	n := &notices{}
	d, err := Open(path, n.add)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, n
}

func openLedger(t testing.TB, d *Directory, flow connectors.Identity) connectors.Ledger {
	t.Helper()
	l, err := d.OpenLedger(t.Context(), flow)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// entries are all entries of a chain, read one by one.
func entries(t testing.TB, l connectors.Ledger, chain string) []string {
	t.Helper()
	last, err := l.Last(t.Context(), chain)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for version := uint64(1); version <= last.Version; version++ {
		entry, err := l.At(t.Context(), chain, version)
		if err != nil || entry.Version != version {
			t.Fatalf("entry %d: found version %d, %v", version, entry.Version, err)
		}
		all = append(all, string(entry.Data))
	}
	if len(all) > 0 && all[len(all)-1] != string(last.Data) {
		t.Fatalf("the newest entry is %q, and %q when read again", last.Data, all[len(all)-1])
	}
	return all
}

func expectEntries(t testing.TB, l connectors.Ledger, chain string, want ...string) {
	t.Helper()
	if got := entries(t, l, chain); !slices.Equal(got, want) {
		t.Errorf("expected %s to hold %q, found %q", chain, want, got)
	}
}

// expectError checks an error's class, that it says what to do where a person has
// to, and what it says.
func expectError(t testing.TB, err error, class connectors.Class, parts ...string) {
	t.Helper()
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != class || e.Help == "" {
		t.Errorf("expected an error of class %d with help, found %#v", class, err)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("expected %q in %q", part, err)
		}
	}
}

// someFile is a file as the package writes it.
func someFile(key string, data ...string) []byte {
	file := appendFrame(preamble(), 0, []byte(key))
	for i, d := range data {
		file = appendFrame(file, uint64(i+1), []byte(d))
	}
	return file
}

// epochFile is where a directory keeps the epochs of someFlow.
func epochFile(directory string) string {
	return filepath.Join(directory, "default+orders+epoch.chain")
}

const epochKey = "default+orders+epoch"

func writeFile(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
