package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/lang"
)

// target is where a run's default connection goes.
type target struct {
	settings connectors.Settings
	origin   string
	server   *embedded.Server // nil if it is somebody else's
}

// target finds the server that the flags ask for, or starts the embedded one.
func (a *app) target(ctx context.Context, files []*lang.File, r running, params map[string]string, seed []embedded.SeedMessage) (target, error) {
	if r.embedded == "" {
		settings, origin, err := r.nats.settings()
		return target{settings: settings, origin: origin}, err
	}
	// The program is judged before a server is started for it.
	if _, err := a.plan(files, nil, params); err != nil {
		return target{}, err
	}
	server, err := a.startEmbedded(ctx, r, seed)
	if err != nil {
		return target{}, &failure{status: statusSurrounding, err: err}
	}
	return target{settings: connectors.Settings{"url": []string{server.URL()}}, origin: "embedded", server: server}, nil
}

func (t target) stop() {
	if t.server != nil {
		t.server.Stop()
	}
}

// String says which connection a run takes.
func (t target) String() string {
	switch {
	case t.settings.Has("context"):
		return fmt.Sprintf("context %s (%s)", t.settings.Text("context"), t.origin)
	case t.settings.Has("url"):
		return fmt.Sprintf("%s (%s)", strings.Join(t.settings.List("url"), ","), t.origin)
	}
	return fmt.Sprintf("nats://127.0.0.1:4222 (%s)", t.origin)
}
