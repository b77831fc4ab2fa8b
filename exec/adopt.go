package exec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
)

// beginning is the state that a claim goes on from: that of the newest record, that
// of another flow which this one continues, or none. A name that is new must not be
// an old flow's new name, since all of it would be written again.
func (m *machine) beginning(ctx context.Context, a *admission) (State, error) {
	adopted := a.last != nil && a.last.Kind == AdoptedRecord
	switch {
	case a.last != nil && a.last.Owner.ID == m.chain.owner.ID && !adopted:
		return a.last.State, nil // an earlier try of this run
	case m.options.Adopt != "" && (a.last == nil || adopted):
		return m.adopt(ctx, m.options.Adopt)
	case a.last == nil && !m.options.Fresh:
		return newState(), m.noTwin(ctx)
	case a.last == nil, adopted && m.options.Fresh:
		return newState(), nil
	case adopted:
		return State{}, connectors.Errorf(connectors.Refused, "it goes on as flow %s, which has adopted it", a.last.Successor).
			WithHelp("run %s; --adopt %s takes it back under this name, and --fresh begins anew", a.last.Successor, a.last.Successor)
	case m.options.Fresh:
		return State{}, connectors.Errorf(connectors.Refused, "--fresh is for a name that has not run yet, and this one has, up to epoch %d", a.last.State.Epoch).
			WithHelp("leave --fresh out to go on from there; flowc rm %s makes it begin anew", m.flow.Flow)
	case m.options.Adopt != "":
		return a.last.State, m.adoptsAgain(ctx, a)
	}
	return a.last.State, nil
}

// adoptsAgain refuses a name that has run, unless it began as a successor of the flow
// that it is to adopt: an adoption may be repeated.
func (m *machine) adoptsAgain(ctx context.Context, a *admission) error {
	if a.specification != nil && a.specification.Adopted == m.options.Adopt {
		return nil
	}
	ledger, err := m.ofFlow(ctx, m.options.Adopt)
	if err != nil {
		return err
	}
	old := chain{ledger: ledger}
	last, _, err := old.readRecord(ctx)
	if err != nil || last != nil && last.Kind == AdoptedRecord && last.Successor == m.flow.Flow {
		return err
	}
	return connectors.Errorf(connectors.Refused, "--adopt %s is for a name that has not run yet, and this one has, up to epoch %d", m.options.Adopt, a.last.State.Epoch).
		WithHelp("leave --adopt out to go on from there")
}

// ofFlow is the part of the ledger of another flow of the namespace.
func (m *machine) ofFlow(ctx context.Context, name string) (connectors.Ledger, error) {
	return m.ledgerOf(ctx, connectors.Identity{Namespace: m.flow.Namespace, Flow: name})
}

// noTwin refuses a name that has not run yet where another flow, which has, reads and
// writes the same.
func (m *machine) noTwin(ctx context.Context) error {
	if m.ledger == nil {
		return nil
	}
	names, err := m.ledger.Siblings(ctx)
	if err != nil {
		return err
	}
	reads, writes := m.flow.Reads(), m.flow.Writes()
	for _, name := range names {
		if name == m.flow.Flow || slices.Contains(m.options.together, name) {
			continue
		}
		ledger, err := m.ofFlow(ctx, name)
		if err != nil {
			return err
		}
		other, _, err := readSpecification(ctx, ledger)
		if connectors.Retryable(err) {
			return err
		}
		if err != nil || other == nil || !slices.Equal(other.Reads, reads) || !slices.Equal(other.Writes, writes) {
			continue
		}
		c := chain{ledger: ledger}
		last, _, err := c.readRecord(ctx)
		if connectors.Retryable(err) {
			return err
		}
		if err != nil || last == nil || last.Kind == AdoptedRecord {
			continue // what cannot be read is no flow of this program's
		}
		so := fmt.Sprintf("which has, up to epoch %d, reads and writes the same: all of it would be written again", last.State.Epoch)
		if last.State.Epoch == 0 {
			so = "which was started, and has certified nothing yet, reads and writes the same: all of it would be written twice"
		}
		return connectors.Errorf(connectors.Refused, "it has not run yet, and flow %s, %s", name, so).
			WithHelp("is it that flow under a new name? --adopt %s goes on where it is; --fresh begins at the beginning, beside it", name)
	}
	return nil
}

// adopt ends the chain of another flow, so that whoever runs it stops, and returns
// its state, with its schemas in this flow's part of the ledger.
func (m *machine) adopt(ctx context.Context, name string) (State, error) {
	if m.ledger == nil {
		return State{}, m.unknown(ctx, name)
	}
	ledger, err := m.ofFlow(ctx, name)
	if err != nil {
		return State{}, err
	}
	old := &chain{ledger: ledger, flow: m.flow.Namespace + "/" + name, owner: m.chain.owner}
	last, version, err := old.readRecord(ctx)
	switch {
	case err != nil:
		return State{}, err
	case last == nil || name == m.flow.Flow:
		return State{}, m.unknown(ctx, name)
	case last.Kind == AdoptedRecord && last.Successor != m.flow.Flow:
		return State{}, connectors.Errorf(connectors.Refused, "flow %s goes on as %s already, which has adopted it", name, last.Successor).
			WithHelp("adopt %s instead", last.Successor)
	}
	if err := m.knowsMarkers(ctx, name, last.State); err != nil {
		return State{}, err
	}
	if last.Kind != AdoptedRecord {
		if err := m.idle(ctx, name, last); err != nil {
			return State{}, err
		}
		old.fingerprint, old.attempt, old.version = last.Fingerprint, last.Attempt+1, version
		err := old.write(ctx, Record{Kind: AdoptedRecord, State: last.State, Successor: m.flow.Flow})
		if errors.Is(err, connectors.ErrSuperseded) {
			return State{}, fmt.Errorf("flow %s runs, and was not adopted: %w", name, err)
		}
		if err != nil {
			return State{}, err
		}
	}
	return m.inherit(ctx, ledger, last.State)
}

// knowsMarkers refuses to adopt a flow whose markers cannot be found: they say how far
// its destinations go.
func (m *machine) knowsMarkers(ctx context.Context, name string, state State) error {
	for _, n := range state.Markers {
		conn := m.transactor(n.Connection)
		if conn == nil {
			return connectors.Errorf(connectors.Refused, "flow %s has its marker in stream %s of the connection %s, and this program has no connection of that name", name, n.Stream, n.Connection).
				WithHelp("call the connection %s, for this run at least", n.Connection)
		}
		marker, err := conn.ReadMarker(ctx, n.MarkedPlace)
		if err != nil {
			return err
		}
		if marker.Sequence < n.Sequence {
			return connectors.Errorf(connectors.Refused, "stream %s has lost what flow %s wrote: its newest marker on %q has sequence %d, and the ledger says that it was there with %d", n.Stream, name, n.Subject, marker.Sequence, n.Sequence).
				WithHelp("mend that under the old name first: flowc verify FILE --repair, or --accept")
		}
	}
	return nil
}

// idle refuses to adopt a flow that is run by somebody, unless it is to be replaced.
func (m *machine) idle(ctx context.Context, name string, last *Record) error {
	if m.options.Replace || last.Owner.gone() {
		return nil
	}
	id := connectors.Identity{Namespace: m.flow.Namespace, Flow: name}
	source, err := m.conn().OpenSource(ctx, id, m.flow.SourceSpecs(), connectors.SourceOptions{Epoch: m.bounds})
	if err != nil {
		return err
	}
	defer func() { _ = source.Close(ctx) }() // it never held anything
	tenure, err := source.Held(ctx)
	if err != nil || tenure != connectors.Occupied {
		return err
	}
	return connectors.Errorf(connectors.Refused, "flow %s is run by %s, since %s", name, last.Owner, last.Owner.Started.Format(time.RFC3339)).
		WithHelp("stop that process first, or add --replace, which makes it stop")
}

// inherit copies the schemas that a state names. The chain keeps its name, which
// readers and markers carry, and the markers of the old flow are former ones now.
func (m *machine) inherit(ctx context.Context, from connectors.Ledger, state State) (State, error) {
	state.Schemas = maps.Clone(state.Schemas)
	for resource, version := range state.Schemas {
		entry, err := from.At(ctx, schemaChainOf(resource), version)
		if err != nil {
			return State{}, fmt.Errorf("schema of resource %s: %w", resource, err)
		}
		last, err := m.ledger.Last(ctx, schemaChainOf(resource))
		if err != nil {
			return State{}, err
		}
		state.Schemas[resource] = last.Version
		if string(last.Data) != string(entry.Data) {
			if state.Schemas[resource], err = m.ledger.Append(ctx, schemaChainOf(resource), last.Version, entry.Data); err != nil {
				return State{}, err
			}
		}
	}
	return state, nil
}

// unknown says that there is no such flow to adopt, and which there are.
func (m *machine) unknown(ctx context.Context, name string) error {
	e := connectors.Errorf(connectors.Refused, "there is no flow %s to adopt in the namespace %s", name, m.flow.Namespace)
	if m.ledger == nil {
		return e.WithHelp("no flow has run there yet")
	}
	names, err := m.ledger.Siblings(ctx)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == m.flow.Flow })
	if len(names) == 0 {
		return e.WithHelp("no other flow has run there yet")
	}
	return e.WithHelp("those that have run there are %s", strings.Join(names, ", "))
}
