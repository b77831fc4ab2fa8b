package localledger

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
)

func TestChains(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	d, _ := openDirectory(t, dir)
	l := openLedger(t, d, someFlow)
	connectortest.ExpectLast(t, l, "epoch", 0, "")
	first := connectortest.Append(t, l, "epoch", 0, "claim")
	connectortest.Append(t, l, "schema.orders", 0, "{}")
	second := connectortest.Append(t, l, "epoch", first, "certificate")
	if second <= first {
		t.Errorf("expected versions to grow, found %d after %d", second, first)
	}
	connectortest.Append(t, l, "empty", 0, "")
	d.Close()

	d, n := openDirectory(t, dir)
	l = openLedger(t, d, someFlow)
	connectortest.ExpectLast(t, l, "epoch", second, "certificate")
	expectEntries(t, l, "epoch", "claim", "certificate")
	expectEntries(t, l, "schema.orders", "{}")
	expectEntries(t, l, "schema.users")
	expectEntries(t, l, "empty", "")
	if len(n.all) != 0 {
		t.Errorf("expected nothing to report, found %v", n.all)
	}
	if l.String() != "directory "+dir {
		t.Errorf("found %q", l)
	}
}

func TestMissingEntries(t *testing.T) {
	d, _ := openDirectory(t, t.TempDir())
	l := openLedger(t, d, someFlow)
	connectortest.Append(t, l, "epoch", 0, "claim")
	for _, version := range []uint64{0, 2, 1 << 63} {
		if _, err := l.At(t.Context(), "epoch", version); !errors.Is(err, connectors.ErrNoEntry) || !strings.Contains(err.Error(), "which has 1 in") {
			t.Errorf("version %d: found %v", version, err)
		}
	}
	if _, err := l.At(t.Context(), "spec", 1); !errors.Is(err, connectors.ErrNoEntry) {
		t.Errorf("a chain without a file: found %v", err)
	}
}

func TestFlowsAreApart(t *testing.T) {
	d, _ := openDirectory(t, t.TempDir())
	flows := []connectors.Identity{someFlow, {Namespace: "default", Flow: "Orders"}, {Namespace: "orders", Flow: "default"}}
	for i, flow := range flows {
		connectortest.Append(t, openLedger(t, d, flow), "epoch", 0, fmt.Sprint(i))
	}
	for i, flow := range flows {
		expectEntries(t, openLedger(t, d, flow), "epoch", fmt.Sprint(i))
	}
}

func TestConcurrentAppends(t *testing.T) {
	const writers, each = 8, 10
	dir := t.TempDir()
	d, _ := openDirectory(t, dir)
	var wg sync.WaitGroup
	for writer := range writers {
		l := openLedger(t, d, someFlow)
		wg.Go(func() {
			for i := 0; i < each; {
				last, err := l.Last(t.Context(), "epoch")
				if err != nil {
					t.Error(err)
					return
				}
				switch _, err := l.Append(t.Context(), "epoch", last.Version, fmt.Appendf(nil, "%d.%d", writer, i)); {
				case err == nil:
					i++
				case !errors.Is(err, connectors.ErrSuperseded):
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	d.Close()
	d, _ = openDirectory(t, dir)
	got := entries(t, openLedger(t, d, someFlow), "epoch")
	next := [writers]int{}
	for _, entry := range got {
		var writer, i int
		if _, err := fmt.Sscanf(entry, "%d.%d", &writer, &i); err != nil || next[writer] != i {
			t.Fatalf("found %q where entry %d of writer %d should be, %v", entry, next[writer], writer, err)
		}
		next[writer]++
	}
	if len(got) != writers*each {
		t.Errorf("expected %d entries, found %d", writers*each, len(got))
	}
}

func TestAnEndedContextWritesNothing(t *testing.T) {
	d, _ := openDirectory(t, t.TempDir())
	l := openLedger(t, d, someFlow)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Append(ctx, "epoch", 0, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v", err)
	}
	connectortest.ExpectLast(t, l, "epoch", 0, "")
}

func TestNothingWorksAfterClose(t *testing.T) {
	d, _ := openDirectory(t, t.TempDir())
	l := openLedger(t, d, someFlow)
	connectortest.Append(t, l, "epoch", 0, "claim")
	d.Close()
	_, last := l.Last(t.Context(), "epoch")
	_, at := l.At(t.Context(), "epoch", 1)
	_, append := l.Append(t.Context(), "epoch", 1, []byte("x"))
	for _, err := range []error{last, at, append} {
		if !errors.Is(err, errClosed) {
			t.Errorf("expected %v, found %v", errClosed, err)
		}
	}
}

func TestAnEntryThatIsTooLarge(t *testing.T) {
	d, _ := openDirectory(t, t.TempDir())
	l := openLedger(t, d, someFlow)
	_, err := l.Append(t.Context(), "epoch", 0, make([]byte, maxData+1))
	if err == nil || !strings.Contains(err.Error(), "has 67108865 bytes, and the ledger takes at most 67108864") {
		t.Errorf("found %v", err)
	}
	connectortest.ExpectLast(t, l, "epoch", 0, "")
}

// Somebody else does something to the file while it is in use.
func TestAFileThatIsChanged(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 30) },
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, someFile(epochKey, "claim"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			d, _ := openDirectory(t, dir)
			l := openLedger(t, d, someFlow)
			connectortest.Append(t, l, "epoch", 0, "claim")
			if err := change(epochFile(dir)); err != nil {
				t.Fatal(err)
			}
			_, err := l.Append(t.Context(), "epoch", 1, []byte("certificate"))
			expectError(t, err, connectors.Permanent, "somebody else has changed "+epochFile(dir), "epoch of flow default/orders")
			connectortest.ExpectLast(t, l, "epoch", 1, "claim")
		})
	}
}

func TestADraftThatWasLeftIsMadeAnew(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, epochFile(dir)+".new", []byte("flow.led"))
	d, _ := openDirectory(t, dir)
	connectortest.Append(t, openLedger(t, d, someFlow), "epoch", 0, "claim")
	if got := readFile(t, epochFile(dir)); !slices.Equal(got, someFile(epochKey, "claim")) {
		t.Errorf("found %q", got)
	}
	if names, err := filepath.Glob(filepath.Join(dir, "*.new")); err != nil || len(names) != 0 {
		t.Errorf("expected no draft, found %q, %v", names, err)
	}
}
