package exec

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/planner"
)

// group is the flow's sinks on one connection that write exactly once.
type group struct {
	connection *planner.Connection
	sinks      []int                  // of the flow
	open       connectors.Transaction // nil where its session failed and it is not open again
}

// seat is a place of a group, and how far it holds the flow's rows.
type seat struct {
	*group
	place  int
	marker connectors.Marker
	held   []connectors.Position
}

// exactly is what a flow that writes exactly once needs besides.
type exactly struct {
	groups []*group
	// seats are all places. The first is the primary one: its marker comes last in an
	// epoch, and carries the certificate.
	seats  []*seat
	former []*formerSeat
	marked uint64 // the attempt in which this owner has marked all seats
}

// formerSeat is a place whose marker the ledger names, and that no sink has any more:
// the flow was changed, or goes on from one of another name.
type formerSeat struct {
	connection string
	marker     connectors.Marker
	record     *Record // that the marker carries
}

func groupSinks(flow *planner.Flow) (groups []*group) {
	for i, s := range flow.Sinks {
		if !s.Spec.ExactlyOnce() {
			continue
		}
		at := slices.IndexFunc(groups, func(g *group) bool { return g.connection == s.Connection })
		if at < 0 {
			groups, at = append(groups, &group{connection: s.Connection}), len(groups)
		}
		groups[at].sinks = append(groups[at].sinks, i)
	}
	return groups
}

// groupOf is the group that a sink belongs to; nil if it is a plain one.
func (x *exactly) groupOf(sink int) *group {
	if i := slices.IndexFunc(x.groups, func(g *group) bool { return slices.Contains(g.sinks, sink) }); i >= 0 {
		return x.groups[i]
	}
	return nil
}

// openGroups opens the transactions that are not open.
func (m *machine) openGroups(ctx context.Context) error {
	for _, g := range m.exactly.groups {
		if g.open != nil {
			continue
		}
		if err := m.openGroup(ctx, g); err != nil {
			return g.ofSink(err)
		}
	}
	return nil
}

func (m *machine) openGroup(ctx context.Context, g *group) error {
	conn, ok := m.conns[g.connection].(connectors.Transactor)
	if !ok {
		return connectors.Errorf(connectors.Refused, "the connection %s cannot write exactly once", g.connection.Name).About(connectors.SinkRole, 0, connectors.ExactlyKey)
	}
	var specs []connectors.SinkSpec
	for at, i := range g.sinks {
		spec, err := m.flow.Sinks[i].Resolved()
		if err != nil {
			return ofSink(err, at)
		}
		specs = append(specs, spec)
	}
	t, err := conn.OpenTransaction(ctx, m.flow.Identity, specs)
	if err != nil {
		return err
	}
	g.open = t
	for at, sink := range t.Sinks() {
		m.setSink(g.sinks[at], sink)
	}
	m.exactly.seat(g)
	for at, sink := range t.Sinks() {
		if err := m.source.Avoid(sink.Targets()); err != nil {
			return ofSink(err, at)
		}
	}
	return nil
}

// seat renews the seats of a group that was opened.
func (x *exactly) seat(g *group) {
	x.seats = slices.DeleteFunc(x.seats, func(s *seat) bool { return s.group == g })
	for place := range g.open.Places() {
		x.seats = append(x.seats, &seat{group: g, place: place})
	}
	slices.SortStableFunc(x.seats, func(a, b *seat) int { return cmp.Compare(a.sinks[0], b.sinks[0]) })
}

// ofSink tells which of the flow's sinks an error is about.
func (g *group) ofSink(err error) error {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Role == connectors.SinkRole && e.Spec < len(g.sinks) {
		e.Spec = g.sinks[e.Spec]
	}
	return err
}

// groupFailed closes a transaction whose session is over. What it may have committed
// its markers tell.
func (m *machine) groupFailed(g *group, err error) error {
	_ = g.open.Close() // err is the one to tell
	g.open = nil
	for _, i := range g.sinks {
		m.leaveSink(i)
	}
	return g.ofSink(err)
}

// reconcile reads the newest markers. An epoch that was committed and has no
// certificate gets it now.
func (m *machine) reconcile(ctx context.Context) error {
	former, err := m.reconcileFormer(ctx)
	if err != nil {
		return err
	}
	for _, s := range m.exactly.seats {
		marker, err := s.open.Marker(ctx, s.place)
		if err != nil {
			return m.groupFailed(s.group, err)
		}
		record, err := m.judge(s, marker)
		if err != nil {
			return err
		}
		s.marker, s.held = marker, nil
		if record == nil {
			continue
		}
		s.held = record.State.Positions
		if record.Epoch != nil && record.State.Epoch > m.chain.state.Epoch {
			if err := m.certifyFrom(ctx, s.connection.Name, record, marker); err != nil {
				return err
			}
		}
	}
	for _, s := range m.exactly.seats {
		s.held = furthest(furthest(s.held, former[s.name()]), m.chain.state.Positions)
	}
	return nil
}

// reconcileFormer does the same for markers that the ledger names and no sink has any
// more. It returns how far they say their streams go.
func (m *machine) reconcileFormer(ctx context.Context) (map[seatName][]connectors.Position, error) {
	held := map[seatName][]connectors.Position{}
	m.exactly.former = nil
	for _, n := range m.chain.state.Markers {
		conn := m.transactor(n.Connection)
		if conn == nil || m.exactly.has(n) {
			continue
		}
		marker, err := conn.ReadMarker(ctx, n.MarkedPlace)
		if err != nil {
			return nil, err
		}
		record := &Record{}
		if marker.Sequence == 0 || decodeRecord(marker.Content, record) != nil || record.State.Records != m.chain.state.Records {
			continue // it was removed, as the flow needs it no more
		}
		at := seatName{n.Connection, n.Stream}
		held[at] = furthest(held[at], record.State.Positions)
		m.exactly.former = append(m.exactly.former, &formerSeat{n.Connection, marker, record})
		marker.Created = n.Created
		if record.Epoch != nil && record.State.Epoch > m.chain.state.Epoch {
			if err := m.certifyFrom(ctx, n.Connection, record, marker); err != nil {
				return nil, err
			}
		}
	}
	return held, nil
}

// seatName tells the seats of a flow apart.
type seatName struct{ connection, stream string }

func (s *seat) name() seatName {
	return seatName{s.connection.Name, s.open.Places()[s.place].Stream}
}

func (x *exactly) has(n NamedMarker) bool {
	return slices.ContainsFunc(x.seats, func(s *seat) bool {
		return s.connection.Name == n.Connection && s.open.Places()[s.place] == n.MarkedPlace
	})
}

// transactor is the flow's connection of that name; nil if it has none that can write
// exactly once.
func (m *machine) transactor(name string) connectors.Transactor {
	t, _ := m.connectionNamed(name).(connectors.Transactor)
	return t
}

// judge compares a marker with what the ledger says of it, and returns its record; nil
// if there is none, and none is missing.
func (m *machine) judge(s *seat, marker connectors.Marker) (*Record, error) {
	refuse := func(help, format string, args ...any) error {
		return s.ofSink(connectors.Errorf(connectors.Permanent, format, args...).WithHelp("%s", help).About(connectors.SinkRole, 0, "stream"))
	}
	named := m.chain.state.marker(s.connection.Name, marker.MarkedPlace)
	const lost = "restore it; or send what is missing again: flowc verify FILE --repair; or go on without it: flowc verify FILE --accept"
	switch {
	case named.Sequence > 0 && marker.Sequence == 0:
		return nil, refuse(lost, "stream %s has no marker of this flow on %q any more, and the ledger says that it was there with sequence %d: it was removed, or the stream was made anew",
			marker.Stream, marker.Subject, named.Sequence)
	case named.Sequence > 0 && (marker.Sequence < named.Sequence || named.Created > 0 && marker.Created != named.Created):
		return nil, refuse(lost, "stream %s went back: the newest marker of this flow on %q has sequence %d in a stream made at %s, and the ledger says that it was there with sequence %d in one made at %s",
			marker.Stream, marker.Subject, marker.Sequence, stamp(marker.Created), named.Sequence, stamp(named.Created))
	case marker.Sequence == 0:
		return nil, nil
	}
	record := &Record{}
	if err := decodeRecord(marker.Content, record); err != nil {
		return nil, fmt.Errorf("the marker with sequence %d of stream %s: %w", marker.Sequence, marker.Stream, err)
	}
	switch {
	case record.State.Records == m.chain.state.Records: // also where another name wrote it, which this one goes on from
	case record.Flow != m.flow.Identity.String():
		return nil, refuse("give each of them its own, with `marker \"...\"`", "the marker on %q of stream %s belongs to flow %s", marker.Subject, marker.Stream, record.Flow)
	default:
		return nil, refuse(fmt.Sprintf("run with the ledger of the earlier runs, or restore it; to begin anew, so that everything is written again, remove the marker: nats stream purge %s --subject %s", marker.Stream, marker.Subject),
			"the marker with sequence %d of stream %s goes with other records of this flow than the ledger holds: the ledger has lost them, or is not the one that the flow ran with", marker.Sequence, marker.Stream)
	}
	return record, nil
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// certifyFrom writes the certificate that a marker carries.
func (m *machine) certifyFrom(ctx context.Context, connection string, r *Record, marker connectors.Marker) error {
	if missing := r.State.Epoch - m.chain.state.Epoch - 1; missing > 0 {
		m.notice(connectors.Notice{Warning: true, Text: "the ledger went back: certificates of epochs that the destination holds are missing, and the flow goes on behind them",
			Attributes: []any{"epochs", missing, "ledger", m.ledger.String()}})
	}
	state, err := m.ofMarker(ctx, r)
	if err != nil {
		return err
	}
	epoch := *r.Epoch
	epoch.Receipts = append(slices.Clone(epoch.Receipts), signed(connection, marker.Receipts)...)
	state.Markers = append(state.Markers, named(connection, marker))
	if err := m.chain.certifyAs(ctx, r.Fingerprint, state, &epoch); err != nil {
		return err
	}
	m.notice(connectors.Notice{Text: "an epoch was committed before its certificate could be written; it is certified from its marker",
		Attributes: []any{"epoch", r.State.Epoch, "stream", marker.Stream, "marker", marker.Sequence}})
	m.tellFrom(r.State.Epoch, epoch)
	return nil
}

// ofMarker is the state that a marker carries. If a flow of another name wrote it, which
// this one goes on from, the schemas that it names are in that flow's part of the ledger.
func (m *machine) ofMarker(ctx context.Context, r *Record) (State, error) {
	if r.Flow == m.chain.flow {
		return r.State, nil
	}
	ledger, err := m.ofFlow(ctx, strings.TrimPrefix(r.Flow, m.flow.Namespace+"/"))
	if err != nil {
		return State{}, err
	}
	return m.inherit(ctx, ledger, r.State)
}

// mark writes a marker at every seat that has none of this owner, and over the former
// ones: from then on nothing that a former owner still sends is stored. It comes before
// the source is moved.
func (m *machine) mark(ctx context.Context) error {
	x := &m.exactly
	for _, f := range x.former {
		if f.record.Owner.ID == m.chain.owner.ID && f.record.Attempt == m.chain.attempt {
			continue
		}
		state := State{Records: m.chain.state.Records, Epoch: m.chain.state.Epoch, Positions: f.record.State.Positions}
		content, err := json.Marshal(m.chain.signed(Record{Kind: MarkerRecord, Flow: f.record.Flow, State: state}))
		if err != nil {
			return err
		}
		if err := m.transactor(f.connection).Supersede(ctx, f.record.Flow, f.marker, content); err != nil {
			return err
		}
	}
	for _, s := range x.seats {
		if x.marked == m.chain.attempt && s.marker.Sequence > 0 {
			continue
		}
		state := m.chain.state
		state.Positions, state.Markers = s.held, nil
		content, err := m.content(state, nil)
		if err != nil {
			return err
		}
		if s.marker, err = s.open.Mark(ctx, s.place, content); err != nil {
			return m.groupFailed(s.group, err)
		}
	}
	x.marked = m.chain.attempt
	return nil
}

// content is what a marker says: the record that the certificate will be.
func (m *machine) content(state State, epoch *CertifiedEpoch) ([]byte, error) {
	return json.Marshal(m.chain.signed(Record{Kind: MarkerRecord, State: state, Epoch: epoch}))
}

// seal commits the epoch at every seat, the primary one last.
func (m *machine) seal(ctx context.Context, e *epoch) error {
	seats := m.exactly.seats
	for _, s := range seats[1:] {
		if err := m.sealAt(ctx, e, s, nil); err != nil {
			return err
		}
	}
	certificate := e.certificate()
	if err := m.sealAt(ctx, e, seats[0], &certificate); err != nil {
		return err
	}
	e.state.Markers = m.exactly.names()
	return nil
}

// names are the markers of all seats, as the ledger keeps them.
func (x *exactly) names() (all []NamedMarker) {
	for _, s := range x.seats {
		all = append(all, named(s.connection.Name, s.marker))
	}
	return all
}

// sealAt commits the epoch at one seat. With a certificate the marker is written even
// if no row goes there.
func (m *machine) sealAt(ctx context.Context, e *epoch, s *seat, certificate *CertifiedEpoch) error {
	state := *e.state
	state.Positions = furthest(s.held, state.Positions)
	if certificate != nil {
		for _, other := range m.exactly.seats[1:] {
			state.Markers = append(state.Markers, named(other.connection.Name, other.marker))
		}
	}
	content, err := m.content(state, certificate)
	if err != nil {
		return err
	}
	receipts, marker, err := s.open.Commit(ctx, connectors.Seal{Place: s.place, Held: s.held, Content: content, Always: certificate != nil})
	if err != nil {
		return m.groupFailed(s.group, err)
	}
	if marker.Sequence != s.marker.Sequence {
		s.marker, s.held = marker, state.Positions
	}
	e.receipts = append(e.receipts, signed(s.connection.Name, receipts)...)
	return nil
}

func named(connection string, m connectors.Marker) NamedMarker {
	return NamedMarker{Connection: connection, MarkedPlace: m.MarkedPlace, Created: m.Created, Sequence: m.Sequence}
}

// signed are receipts of a connection.
func signed(connection string, receipts []connectors.Receipt) []connectors.Receipt {
	for i := range receipts {
		receipts[i].Connection = connection
	}
	return receipts
}

// furthest takes of each stream the later of two positions.
func furthest(a, b []connectors.Position) []connectors.Position {
	all := slices.Clone(a)
	for _, p := range b {
		i := slices.IndexFunc(all, func(q connectors.Position) bool { return q.Stream == p.Stream })
		switch {
		case i < 0:
			all = append(all, p)
		case cmp.Or(cmp.Compare(p.Created, all[i].Created), cmp.Compare(p.Sequence, all[i].Sequence)) > 0:
			all[i] = p
		}
	}
	return all
}
