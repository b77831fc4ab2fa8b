package main

import (
	"context"
	"maps"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/planner"
)

// left is a flow whose traces a command looks into, and the connection that keeps
// its ledger.
type left struct {
	flow connectors.Identity
	conn connectors.Connection
}

// open connects to where a flow ran, which a name or a file tells.
func (a *app) open(ctx context.Context, flow string, n natsFlags) (*left, error) {
	settings, origin, err := n.settings()
	if err != nil {
		return nil, err
	}
	at := target{settings: settings, origin: origin}
	id, conn := connectors.Identity{Namespace: a.namespace, Flow: flow}, a.defaultConnection(at)
	switch {
	case isFile(flow):
		f, err := a.onlyFlow(flow, at, nil)
		if err != nil {
			return nil, err
		}
		id, conn = f.Identity, f.Sources[0].Connection
	case !validName(flow):
		return nil, usagef("a flow's name has letters, digits, - and _, found %q; a file ends in .flow", flow)
	}
	opened, err := a.connect(ctx, conn)
	return &left{flow: id, conn: opened}, err
}

// defaultConnection is what a flow uses that declares none.
func (a *app) defaultConnection(t target) *planner.Connection {
	nats := a.kinds[0]
	settings := maps.Clone(t.settings)
	nats.Connection.Complete(settings)
	return &planner.Connection{Name: nats.Name, Kind: nats, Settings: settings}
}

// onlyFlow is the one flow of a file.
func (a *app) onlyFlow(path string, t target, params map[string]string) (*planner.Flow, error) {
	files, err := a.parse([]string{path})
	if err != nil {
		return nil, err
	}
	plan, err := a.plan(files, t, params)
	if err != nil {
		return nil, err
	}
	if len(plan.Flows) == 1 {
		return plan.Flows[0], nil
	}
	var names []string
	for _, f := range plan.Flows {
		names = append(names, f.Flow)
	}
	return nil, usagef("%s has %d flows: give the name of one (%s), and the server by flags", path, len(names), strings.Join(names, ", "))
}

func (a *app) connect(ctx context.Context, c *planner.Connection) (connectors.Connection, error) {
	settings, err := c.Settings.Resolve(c.Kind.Connection)
	if err != nil {
		return nil, remotely(err)
	}
	conn, err := c.Kind.Open(ctx, c.Name, settings, a.warn)
	if err != nil {
		return nil, remotely(err)
	}
	return conn, nil
}

// warn prints what a connection warns of.
func (a *app) warn(n connectors.Notice) {
	if n.Warning {
		newLogger(a.errs, "text").Warn(n.Text, n.Attributes...)
	}
}

// remotely gives an error of a server or a ledger its status.
func remotely(err error) error {
	if err == nil {
		return nil
	}
	return &failure{status: runStatus(err, false), err: err}
}

// withLedger calls do with the flow's ledger, which must be there.
func (a *app) withLedger(ctx context.Context, flow string, n natsFlags, do func(*left, connectors.Ledger) error) error {
	l, err := a.open(ctx, flow, n)
	if err != nil {
		return err
	}
	defer l.conn.Close()
	ledger, err := l.findIn(ctx)
	if err != nil {
		return err
	}
	return do(l, ledger)
}

// findIn is the flow's ledger on its connection, which must be there.
func (l *left) findIn(ctx context.Context) (connectors.Ledger, error) {
	ledger, err := l.conn.FindLedger(ctx, l.flow)
	if err == nil && ledger == nil {
		err = connectors.Errorf(connectors.Permanent, "there is no ledger on %s, so no flow has run there", l.conn).
			WithHelp("check where the flags and the environment lead; a flow's first run makes the ledger")
	}
	return ledger, remotely(err)
}

// marked are the places of the markers that the newest record names.
func (l *left) marked(ctx context.Context) (places []connectors.MarkedPlace, err error) {
	ledger, err := l.conn.FindLedger(ctx, l.flow)
	if err != nil || ledger == nil {
		return nil, err
	}
	state, err := exec.LastState(ctx, ledger)
	for _, m := range state.Markers {
		places = append(places, m.MarkedPlace)
	}
	return places, err
}

// mustRest refuses to go on while the flow runs, as far as the server shows it.
func (l *left) mustRest(ctx context.Context) error {
	remains, err := l.conn.Remains(ctx, l.flow)
	if err != nil {
		return remotely(err)
	}
	if r, running := remains.InUse(); running {
		return remotely(connectors.Errorf(connectors.Permanent, "flow %s runs: somebody waits for messages through the consumer %s of stream %s", l.flow, r.Name, r.Stream).
			WithHelp("stop it first; `flowc epochs ls %s` says which process it is", l.flow.Flow))
	}
	return nil
}
