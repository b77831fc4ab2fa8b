package nats

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
	"github.com/nats-io/nats.go/jetstream"
)

func openLedger(t testing.TB, c *connection, flow connectors.Identity) connectors.Ledger {
	t.Helper()
	l, err := c.OpenLedger(t.Context(), flow)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLedgerChains(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	l := openLedger(t, c, someFlow)
	connectortest.ExpectLast(t, l, "epoch", 0, "")
	first := connectortest.Append(t, l, "epoch", 0, "claim")
	schema := connectortest.Append(t, l, "schema.orders", 0, "{}")
	second := connectortest.Append(t, l, "epoch", first, "certificate")
	connectortest.ExpectLast(t, l, "epoch", second, "certificate")
	connectortest.ExpectLast(t, l, "schema.orders", schema, "{}")
	connectortest.ExpectLast(t, l, "schema.users", 0, "")
	for version, want := range map[uint64]string{first: "claim", second: "certificate"} {
		if got, err := l.At(t.Context(), "epoch", version); err != nil || got.Version != version || string(got.Data) != want {
			t.Errorf("version %d: expected %q, found %q, %v", version, want, got.Data, err)
		}
	}
	_, err := l.At(t.Context(), "epoch", 99)
	check(t, "missing version", err, "reading entry 99 of flow.ledger.default.orders.epoch")
}

func TestLedgerNext(t *testing.T) {
	c, _ := link(t, startEmbedded(t), nil)
	l := openLedger(t, c, someFlow)
	first := connectortest.Append(t, l, "epoch", 0, "epoch")
	connectortest.Append(t, l, "spec", 0, "spec")
	second := connectortest.Append(t, l, "epoch", first, "epoch")
	for after, want := range map[uint64]uint64{0: first, first: second, second: 0} {
		if e, err := l.Next(t.Context(), "epoch", after); err != nil || e.Version != want || (want > 0) != (string(e.Data) == "epoch") {
			t.Errorf("after %d: expected version %d, found %+v, %v", after, want, e, err)
		}
	}
}

func TestEntriesOfOtherChainsAreRefused(t *testing.T) {
	c, _ := link(t, startEmbedded(t), nil)
	mine := openLedger(t, c, someFlow)
	others := openLedger(t, c, connectors.Identity{Namespace: "default", Flow: "users"})
	version := connectortest.Append(t, others, "epoch", 0, "theirs")
	connectortest.ExpectLast(t, mine, "epoch", 0, "")
	_, err := mine.At(t.Context(), "epoch", version)
	check(t, "another flow", err, "belongs to flow.ledger.default.users.epoch")
	_, err = others.At(t.Context(), "spec", version)
	check(t, "another chain", err, "belongs to flow.ledger.default.users.epoch")
}

// The server stores the entry, and its acknowledgement never comes.
func TestALostAcknowledgementIsLookedUp(t *testing.T) {
	t.Parallel()
	for _, v := range []struct {
		name string
		// after the server has stored the entry, and once the append looks it up
		stored, looking func(*testing.T, *proxy, connectors.Ledger)
		superseded      bool
	}{
		{"frozen", func(*testing.T, *proxy, connectors.Ledger) {}, func(_ *testing.T, p *proxy, _ connectors.Ledger) { p.down.open() }, false},
		{"cut", func(_ *testing.T, p *proxy, _ connectors.Ledger) { p.cut() }, func(*testing.T, *proxy, connectors.Ledger) {}, false},
		{"overtaken", func(t *testing.T, _ *proxy, other connectors.Ledger) {
			last, err := other.Last(t.Context(), "epoch")
			if err != nil {
				t.Fatal(err)
			}
			connectortest.Append(t, other, "epoch", last.Version, "other 2")
		}, func(_ *testing.T, p *proxy, _ connectors.Ledger) { p.down.open() }, true},
	} {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			url := startEmbedded(t)
			direct, _ := link(t, url, nil)
			other := openLedger(t, direct, someFlow)
			p, through := startProxy(t, url)
			c, _ := link(t, through, nil)
			l := openLedger(t, c, someFlow)
			p.down.hold()
			type outcome struct {
				version uint64
				err     error
			}
			done := make(chan outcome, 1)
			go func() {
				version, err := l.Append(context.WithoutCancel(t.Context()), "epoch", 0, []byte("mine 1"))
				done <- outcome{version, err}
			}()
			eventually(t, "the entry is stored", func() bool {
				last, err := other.Last(t.Context(), "epoch")
				return err == nil && last.Version > 0
			})
			lookups, err := direct.nc.SubscribeSync("$JS.API.STREAM.MSG.GET." + ledgerStream)
			if err != nil {
				t.Fatal(err)
			}
			v.stored(t, p, other)
			if v.superseded {
				if _, err := lookups.NextMsg(patience); err != nil { // the one of the other owner
					t.Fatal(err)
				}
			}
			if _, err := lookups.NextMsg(patience); err != nil {
				t.Fatal(err)
			}
			v.looking(t, p, other)
			switch got := <-done; {
			case v.superseded && !errors.Is(got.err, connectors.ErrSuperseded):
				t.Errorf("expected %v, found %d, %v", connectors.ErrSuperseded, got.version, got.err)
			case !v.superseded && (got.err != nil || got.version != 1):
				t.Errorf("expected version 1, found %d, %v", got.version, got.err)
			}
		})
	}
}

func TestTheLedgersStream(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, connectors.Settings{"ledger_subject": "ops.flows"})
	openLedger(t, c, someFlow)
	stream, err := client(t, url).Stream(t.Context(), ledgerStream)
	if err != nil {
		t.Fatal(err)
	}
	config := stream.CachedInfo().Config
	if !slices.Equal(config.Subjects, []string{"ops.flows.>"}) || config.Retention != jetstream.LimitsPolicy || config.Discard != jetstream.DiscardNew ||
		config.MaxMsgsPerSubject != 20000 || config.Storage != jetstream.FileStorage || config.Replicas != 1 {
		t.Errorf("found %+v", config)
	}
	elsewhere, _ := link(t, url, nil)
	_, err = elsewhere.OpenLedger(t.Context(), someFlow)
	check(t, "another subject", err, `holds [ops.flows.>], and this connection keeps its ledger below "flow.ledger"`)
}

func TestALedgerThatAnotherStreamCaptures(t *testing.T) {
	url := startEmbedded(t)
	makeStream(t, client(t, url), streamOn("EVERYTHING", "flow.>"))
	c, _ := link(t, url, nil)
	_, err := c.OpenLedger(t.Context(), someFlow)
	check(t, "overlap", err, `another stream captures "flow.ledger.>" (EVERYTHING)`)
	if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Class != connectors.Environment || e.Help == "" {
		t.Errorf("expected an environment error with help, found %#v", err)
	}
}
