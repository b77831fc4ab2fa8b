package main

import (
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/planner"
)

// target is where a run's default connection goes.
type target struct {
	settings connectors.Settings
	origin   string           // what said so
	server   *embedded.Server // nil if it is somebody else's
}

// target is what the flags ask for. The embedded server's address is not known yet.
func (r running) target() (target, error) {
	if r.embedded != "" {
		return target{settings: connectors.Settings{}, origin: "embedded"}, nil
	}
	settings, origin, err := r.nats.settings()
	return target{settings: settings, origin: origin}, err
}

// describe says where a flow's connection goes, and what said so.
func (t target) describe(c *planner.Connection) string {
	origin := t.origin
	if c.Declared() {
		origin = "the flow"
	}
	switch url := c.Settings["url"].(type) {
	case connectors.Secret:
		return fmt.Sprintf("%s (%s)", url, origin)
	case []string:
		return fmt.Sprintf("%s (%s)", strings.Join(url, ","), origin)
	}
	if c.Settings.Has("context") {
		return fmt.Sprintf("context %s (%s)", c.Settings.Text("context"), origin)
	}
	return fmt.Sprintf("nats://127.0.0.1:4222 (%s)", origin)
}
