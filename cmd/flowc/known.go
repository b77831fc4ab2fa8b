package main

import (
	"context"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
	"github.com/spf13/pflag"
)

// known is how commands find a flow that has run, where its file may have parameters
// and its ledger may be a directory.
type known struct {
	nats   natsFlags
	ledger string
	params []string
}

func (k *known) add(flags *pflag.FlagSet) {
	k.nats.add(flags)
	flags.StringVar(&k.ledger, "ledger", "", "the flow keeps its ledger in `DIR`")
	flags.StringArrayVar(&k.params, "param", nil, "the value of a parameter of the flow, `NAME=VALUE`")
}

// flowLeft is a flow that has run, with everything that it is connected to.
type flowLeft struct {
	left
	file   *planner.Flow // nil if only its name is known
	ledger connectors.Ledger
	conns  map[string]connectors.Connection // by name
	close  []func()
}

// archives are the connections as verifying needs them.
func (f *flowLeft) archives() map[string]connectors.Archive {
	all := map[string]connectors.Archive{}
	for name, conn := range f.conns {
		all[name] = conn
	}
	return all
}

// find connects to all that a flow reads and writes, as far as its name or its file
// tells, and opens its ledger, which must be there.
func (a *app) find(ctx context.Context, flow string, k known) (f *flowLeft, err error) {
	f = &flowLeft{conns: map[string]connectors.Connection{}}
	defer func() {
		if err != nil {
			f.end()
		}
	}()
	if isFile(flow) {
		err = a.findFile(ctx, f, flow, k)
	} else {
		err = a.findName(ctx, f, flow, k)
	}
	if err != nil {
		return f, err
	}
	return f, a.findLedger(ctx, f, k)
}

func (a *app) findName(ctx context.Context, f *flowLeft, flow string, k known) error {
	l, err := a.open(ctx, flow, k.nats)
	if err != nil {
		return err
	}
	f.left = *l
	f.conns[a.kinds[0].Name] = l.conn
	f.close = append(f.close, l.conn.Close)
	return nil
}

func (a *app) findFile(ctx context.Context, f *flowLeft, path string, k known) error {
	settings, origin, err := k.nats.settings()
	if err != nil {
		return err
	}
	params, err := running{params: k.params}.parameters()
	if err != nil {
		return err
	}
	if f.file, err = a.onlyFlow(path, target{settings: settings, origin: origin}, params); err != nil {
		return err
	}
	for _, c := range f.file.Connections() {
		conn, err := a.connect(ctx, c)
		if err != nil {
			return err
		}
		f.conns[c.Name] = conn
		f.close = append(f.close, conn.Close)
	}
	f.left = left{flow: f.file.Identity, conn: f.conns[f.file.Sources[0].Connection.Name]}
	return nil
}

func (a *app) findLedger(ctx context.Context, f *flowLeft, k known) (err error) {
	if k.ledger != "" {
		open, release, err := running{ledger: k.ledger}.ledgers(newLogger(a.errs, "text"))
		if err != nil {
			return err
		}
		f.close = append(f.close, release)
		f.ledger, err = open(ctx, f.flow)
		return remotely(err)
	}
	f.ledger, err = f.findIn(ctx)
	return err
}

// mustHaveFile refuses to make rows anew of a flow that only its name is known of.
func (f *flowLeft) mustHaveFile(what string) error {
	if f.file == nil {
		return usagef("%s makes the rows anew, which needs the flow's file", what)
	}
	return nil
}

func (f *flowLeft) end() {
	for _, end := range f.close {
		end()
	}
}
