package connectortest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/flowlang/flow/connectors"
)

// Ledger runs the suite for ledgers. open is called for each test, and gives what
// opens the ledgers of flows in one store: those of one flow are one.
func Ledger(t *testing.T, open func(t *testing.T) func(connectors.Identity) connectors.Ledger) {
	for name, test := range ledgerTests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// Append adds an entry to a chain, and returns its version.
func Append(t testing.TB, l connectors.Ledger, chain string, previous uint64, data string) uint64 {
	t.Helper()
	version, err := l.Append(t.Context(), chain, previous, []byte(data))
	must(t, err)
	return version
}

// ExpectLast checks the newest entry of a chain; one without entries has version 0.
func ExpectLast(t testing.TB, l connectors.Ledger, chain string, version uint64, data string) {
	t.Helper()
	got, err := l.Last(t.Context(), chain)
	if err != nil || got.Version != version || string(got.Data) != data {
		t.Errorf("expected %.40q at version %d of %s, found %.40q at %d, %v", data, version, chain, got.Data, got.Version, err)
	}
}

var ledgerTests = map[string]func(*testing.T, func(connectors.Identity) connectors.Ledger){
	"ledger/an empty chain has version 0": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		l := open(Flow)
		if l.String() == "" {
			t.Error("it does not say where it is")
		}
		ExpectLast(t, l, "epoch", 0, "")
		if e, err := l.Next(t.Context(), "epoch", 0); err != nil || e.Version != 0 {
			t.Errorf("found %+v, %v", e, err)
		}
		if _, err := l.At(t.Context(), "epoch", 1); !errors.Is(err, connectors.ErrNoEntry) {
			t.Errorf("found %v", err)
		}
	},
	"ledger/entries are kept": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		l := open(Flow)
		long := strings.Repeat("x", 100_000)
		all := []string{"one", "", "\x00\xff", long}
		var versions []uint64
		previous := uint64(0)
		for i, data := range all {
			version := Append(t, l, "epoch", previous, data)
			if version <= previous {
				t.Fatalf("version %d comes after %d", version, previous)
			}
			versions, previous = append(versions, version), version
			if i == 0 { // versions need not follow each other
				Append(t, l, "other", 0, "other")
			}
		}
		again := open(Flow)
		after := uint64(0)
		for i, data := range all {
			next, err := again.Next(t.Context(), "epoch", after)
			if err != nil || next.Version != versions[i] || string(next.Data) != data {
				t.Errorf("after %d: found version %d with %d bytes, %v", after, next.Version, len(next.Data), err)
			}
			after = versions[i]
			if at, err := again.At(t.Context(), "epoch", versions[i]); err != nil || at.Version != versions[i] || string(at.Data) != data {
				t.Errorf("at %d: found version %d with %d bytes, %v", versions[i], at.Version, len(at.Data), err)
			}
		}
		ExpectLast(t, again, "epoch", previous, long)
		for _, after := range []uint64{previous, previous + 1} {
			if e, err := again.Next(t.Context(), "epoch", after); err != nil || e.Version != 0 {
				t.Errorf("behind %d, where nothing is: %+v, %v", after, e, err)
			}
		}
	},
	"ledger/another owner is noticed": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		one, two := open(Flow), open(Flow)
		first := Append(t, one, "epoch", 0, "one")
		second := Append(t, two, "epoch", first, "two")
		for _, previous := range []uint64{0, first, second + 1} {
			if _, err := one.Append(t.Context(), "epoch", previous, []byte("one again")); !errors.Is(err, connectors.ErrSuperseded) {
				t.Errorf("behind %d: found %v", previous, err)
			}
		}
		if _, err := one.Append(t.Context(), "spec", 1, []byte("one")); !errors.Is(err, connectors.ErrSuperseded) {
			t.Errorf("behind 1 of an empty chain: found %v", err)
		}
		ExpectLast(t, one, "epoch", second, "two")
	},
	"ledger/an append whose outcome was lost is written once": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		l := open(Flow)
		previous := uint64(0)
		for _, data := range []string{"one", "two"} {
			version := Append(t, l, "epoch", previous, data)
			if again := Append(t, l, "epoch", previous, data); again != version {
				t.Errorf("expected version %d, found %d", version, again)
			}
			previous = version
		}
	},
	"ledger/chains and flows do not meet": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		places := []struct {
			flow  connectors.Identity
			chain string
		}{{Flow, "epoch"}, {Flow, "schema.orders"}, {Flow, "schema.orders-2"}, {connectors.Identity{Namespace: "other", Flow: Flow.Flow}, "epoch"},
			{connectors.Identity{Namespace: Flow.Namespace, Flow: "other"}, "epoch"}}
		for i, p := range places {
			Append(t, open(p.flow), p.chain, 0, fmt.Sprint(i))
		}
		for i, p := range places {
			if last, err := open(p.flow).Last(t.Context(), p.chain); err != nil || string(last.Data) != fmt.Sprint(i) {
				t.Errorf("%v %s: found %q, %v", p.flow, p.chain, last.Data, err)
			}
		}
	},
	"ledger/flows of one namespace know each other": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		for _, p := range []struct{ namespace, flow, chain string }{
			{Flow.Namespace, Flow.Flow, "spec"}, {Flow.Namespace, "Old-One_2", "spec"}, {Flow.Namespace, "unspecified", "epoch"}, {"other", "stranger", "spec"},
		} {
			Append(t, open(connectors.Identity{Namespace: p.namespace, Flow: p.flow}), p.chain, 0, "{}")
		}
		names, err := open(connectors.Identity{Namespace: Flow.Namespace, Flow: "new"}).Siblings(t.Context())
		want := []string{Flow.Flow, "Old-One_2"}
		slices.Sort(want)
		slices.Sort(names)
		if err != nil || !slices.Equal(names, want) {
			t.Errorf("expected %q, found %q, %v", want, names, err)
		}
	},
	"ledger/of those who append at once one succeeds": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		var all sync.WaitGroup
		var won atomic.Int32
		for i := range 8 {
			l := open(Flow)
			all.Go(func() {
				switch _, err := l.Append(t.Context(), "epoch", 0, fmt.Append(nil, i)); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, connectors.ErrSuperseded):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Errorf("%d of them succeeded", won.Load())
		}
	},
	"ledger/what is given away is not shared": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		l := open(Flow)
		data := []byte("one")
		_, err := l.Append(t.Context(), "epoch", 0, data)
		must(t, err)
		data[0] = 'x'
		last, err := l.Last(t.Context(), "epoch")
		must(t, err)
		last.Data[0] = 'y'
		if again, err := l.Last(t.Context(), "epoch"); err != nil || string(again.Data) != "one" {
			t.Errorf("found %q, %v", again.Data, err)
		}
	},
	"ledger/a cancelled call is an error": func(t *testing.T, open func(connectors.Identity) connectors.Ledger) {
		l := open(Flow)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := l.Append(ctx, "epoch", 0, []byte("one")); err == nil {
			t.Error("an append succeeded")
		}
		if _, err := l.Last(ctx, "epoch"); err == nil {
			t.Error("a read succeeded")
		}
		ExpectLast(t, l, "epoch", 0, "")
	},
}
