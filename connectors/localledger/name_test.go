package localledger

import (
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
)

func TestFileNames(t *testing.T) {
	for _, c := range []struct{ namespace, flow, chain, want string }{
		{"default", "orders", "epoch", "default+orders+epoch.chain"},
		{"default", "orders_eu-1", "schema.orders", "default+orders_eu-1+schema.orders.chain"},
		{"Prod", "orders", "schema.Orders", "%50rod+orders+schema.%4frders.chain"},
		{"a+b", "%41", "../../x", "a%2bb+%2541+..%2f..%2fx.chain"},
		{"", "", "", "++.chain"},
		{"ä", "\x00", "~", "%c3%a4+%00+%7e.chain"},
	} {
		if got := fileName(chainKey(connectors.Identity{Namespace: c.namespace, Flow: c.flow}, c.chain)); got != c.want {
			t.Errorf("%q, %q, %q: expected %s, found %s", c.namespace, c.flow, c.chain, c.want, got)
		}
	}
}

func TestLongNames(t *testing.T) {
	long := strings.Repeat("o", 300)
	d, _ := openDirectory(t, t.TempDir())
	l := openLedger(t, d, someFlow)
	connectortest.Append(t, l, "schema."+long, 0, "one")
	connectortest.Append(t, l, "schema."+long+"o", 0, "two")
	expectEntries(t, l, "schema."+long, "one")
	expectEntries(t, l, "schema."+long+"o", "two")
}

// Different chains are in different files, whatever the case.
func FuzzFileNames(f *testing.F) {
	f.Add("default", "orders", "epoch", "default", "Orders", "epoch")
	f.Add("a", "b+c", "d", "a+b", "c", "d")
	f.Add("a", "%2b", "", "a", "+", "")
	f.Add("a", "b", strings.Repeat("c", 300), "a", "b", strings.Repeat("c", 301))
	f.Fuzz(func(t *testing.T, namespace, flow, chain, namespace2, flow2, chain2 string) {
		one := fileName(chainKey(connectors.Identity{Namespace: namespace, Flow: flow}, chain))
		two := fileName(chainKey(connectors.Identity{Namespace: namespace2, Flow: flow2}, chain2))
		same := namespace == namespace2 && flow == flow2 && chain == chain2
		if strings.EqualFold(one, two) != same {
			t.Errorf("found %s and %s", one, two)
		}
		if len(one) > 255 || strings.ContainsAny(one, "/\\:\x00") || one != strings.ToLower(one) {
			t.Errorf("%s is no name for a file everywhere", one)
		}
	})
}
