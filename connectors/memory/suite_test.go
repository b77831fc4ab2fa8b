package memory

import (
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
)

func TestConformance(t *testing.T) {
	connectortest.Run(t, func(t *testing.T) connectortest.World {
		b := New()
		remake := func() {
			b.Delete("orders")
			if err := b.Make("orders"); err != nil {
				t.Fatal(err)
			}
		}
		remake()
		return connectortest.World{
			Connect: func() connectors.Connection {
				c, err := b.Kind().Open(t.Context(), "main", nil, func(connectors.Notice) {})
				if err != nil {
					t.Fatal(err)
				}
				return c
			},
			Source: connectors.SourceSpec{Connection: "main", Select: "orders", Resource: "orders"},
			Publish: func(bodies ...string) {
				for _, body := range bodies {
					if _, err := b.Publish("orders", Message{Data: []byte(body)}); err != nil {
						t.Fatal(err)
					}
				}
			},
			Remake: remake,
			Sink: connectors.SinkSpec{Connection: "main", Resources: []string{"orders"}, Selects: []string{"orders"},
				Settings: connectors.Settings{"stream": connectors.ParseTemplate("<resource>_out"), "max_size": int64(100)}},
			Refused: strings.Repeat("x", 101),
			Dead: connectors.DeadLetterSpec{Connection: "main", Resources: []string{"orders"}, Selects: []string{"orders"},
				Settings: connectors.Settings{"stream": "dead"}},
			Cut: func() { b.SetDown(true); b.SetDown(false) },
		}
	})
}
