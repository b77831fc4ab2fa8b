package nats

import (
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
)

func TestConformance(t *testing.T) {
	connectortest.Run(t, func(t *testing.T) connectortest.World {
		server := startEmbedded(t)
		js := client(t, server)
		cut, url := startProxy(t, server)
		makeStream(t, js, streamOn("ORDERS", "orders.>"))
		return connectortest.World{
			Connect: func() connectors.Connection {
				c, _ := link(t, url, nil)
				return c
			},
			Source: sourcesOf(nil, "orders.>")[0],
			Publish: func(bodies ...string) {
				for _, body := range bodies {
					if _, err := js.Publish(t.Context(), "orders.a", []byte(body)); err != nil {
						t.Fatal(err)
					}
				}
			},
			Remake: func() {
				if err := js.DeleteStream(t.Context(), "ORDERS"); err != nil {
					t.Fatal(err)
				}
				makeStream(t, js, streamOn("ORDERS", "orders.>"))
			},
			Sink:    ordersTo("OUT", "out.<text>", nil),
			Refused: "two.tokens",
			Dead:    deadLettersOn("dead.<resource>"),
			Exactly: []connectors.SinkSpec{onceTo("ONE", "one.<text>", nil), onceTo("TWO", "two.<text>", nil)},
			// The stream captures what rows may go to, and so this subject.
			DeadInside: deadLettersOn("one.dead"),
			AtomicRows: Kind().AtomicRows,
			Cut:        cut.cut,
		}
	})
}

func deadLettersOn(subject string) connectors.DeadLetterSpec {
	return connectors.DeadLetterSpec{Connection: "main", Resources: []string{"orders"}, Selects: []string{"orders.>"},
		Settings: complete(deadLetterFields, connectors.Settings{"subject": connectors.ParseTemplate(subject)})}
}
