package main

import (
	"fmt"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/internal/natsdial"
	natsgo "github.com/nats-io/nats.go"
)

// connectTimeout bounds the first connection. A lost one is tried again without end.
const connectTimeout = 5 * time.Second

// connect goes to where the flags, the environment or the selected context say, and
// says where that is.
func (w *watching) connect() (*natsgo.Conn, string, error) {
	settings, origin, err := w.nats.Settings()
	if err != nil {
		return nil, "", usagef("%w", err)
	}
	where := whereOf(settings)
	nc, _, err := natsdial.Dial(settings, natsgo.Name("flowtui"), natsgo.Timeout(connectTimeout))
	if err != nil {
		return nil, "", &failure{statusSurrounding, fmt.Errorf("no connection to NATS at %s (from the %s): %w; --server and --context say where it is", where, origin, err)}
	}
	return nc, where, nil
}

// whereOf is where a connection goes, without credentials.
func whereOf(s connectors.Settings) string {
	if s.Has("context") {
		return "ctx " + s.Text("context")
	}
	return natsdial.Address(s)
}
