package main

import (
	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/internal/natsflags"
	"github.com/spf13/pflag"
)

// natsFlags are those that every command shares which needs a server.
type natsFlags struct{ natsflags.Flags }

func (n *natsFlags) add(flags *pflag.FlagSet) { n.Add(flags) }

func (n natsFlags) settings() (connectors.Settings, string, error) {
	settings, origin, err := n.Settings()
	if err != nil {
		return nil, "", usagef("%w", err)
	}
	return settings, origin, nil
}
