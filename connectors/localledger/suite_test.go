package localledger

import (
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
)

func TestConformance(t *testing.T) {
	connectortest.Ledger(t, func(t *testing.T) func(connectors.Identity) connectors.Ledger {
		d, _ := openDirectory(t, t.TempDir())
		return func(flow connectors.Identity) connectors.Ledger { return openLedger(t, d, flow) }
	})
}
