package memory

import (
	"maps"
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
		out := func(stream string, given connectors.Settings) connectors.SinkSpec {
			settings := connectors.Settings{"stream": connectors.ParseTemplate(stream), "max_size": int64(100)}
			maps.Copy(settings, given)
			return connectors.SinkSpec{Connection: "main", Resources: []string{"orders"}, Selects: []string{"orders"}, Settings: settings}
		}
		once := connectors.Settings{connectors.ExactlyKey: connectors.Once}
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
			Remake:     remake,
			Sink:       out("<resource>_out", nil),
			Refused:    strings.Repeat("x", 101),
			Dead:       deadIn("dead"),
			Exactly:    []connectors.SinkSpec{out("<resource>_one", once), out("<resource>_two", once)},
			DeadInside: deadIn("orders_one"),
			AtomicRows: b.Kind().AtomicRows,
			Cut:        func() { b.SetDown(true); b.SetDown(false) },
		}
	})
}

func deadIn(stream string) connectors.DeadLetterSpec {
	return connectors.DeadLetterSpec{Connection: "main", Resources: []string{"orders"}, Selects: []string{"orders"}, Settings: connectors.Settings{"stream": stream}}
}
