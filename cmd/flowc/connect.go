package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/planner"
)

// checkedFinding is a finding about one flow.
type checkedFinding struct {
	Flow string `json:"flow"`
	connectors.Finding
}

// examination asks the servers of flows what a run would meet, and changes nothing
// there.
type examination struct {
	findings []checkedFinding
}

// connected checks flows against their servers.
func (a *app) connected(ctx context.Context, paths []string, n natsFlags, params []string, asJSON bool) error {
	values, err := running{params: params}.parameters()
	if err != nil {
		return err
	}
	files, err := a.parse(paths)
	if err != nil {
		return err
	}
	settings, origin, err := n.settings()
	if err != nil {
		return err
	}
	plan, err := a.plan(files, target{settings: settings, origin: origin}, values)
	if err != nil {
		return err
	}
	x := &examination{}
	for _, f := range plan.Flows {
		x.flow(ctx, plan, f)
	}
	if asJSON {
		err = a.writeJSON(struct {
			OK       bool             `json:"ok"`
			Findings []checkedFinding `json:"findings"`
		}{x.status() == statusDone, x.findings})
	} else {
		err = x.table().print(a.out)
	}
	if status := x.status(); err == nil && status != statusDone {
		return &failure{status: status}
	}
	return err
}

// flow examines one flow with what a run of it would open.
func (x *examination) flow(ctx context.Context, plan *planner.Plan, f *planner.Flow) {
	conns := map[*planner.Connection]connectors.Connection{}
	for i, c := range f.Connections() {
		conn, err := x.open(ctx, c)
		if err != nil {
			x.failed(f, "connection", c.Name, ofConnection(err, i))
			continue
		}
		defer conn.Close()
		conns[c] = conn
		if examiner, ok := conn.(connectors.Examiner); ok {
			x.add(f, examiner.Examine(ctx, useOf(f, c)))
		}
	}
	source, standing := x.source(ctx, plan, f, conns[f.Sources[0].Connection])
	if source != nil {
		defer func() { _ = source.Close(ctx) }() // it has read nothing
	}
	depths := x.sinks(ctx, f, conns, source)
	if source != nil {
		x.confine(f, source, standing)
		x.owner(ctx, f, source, standing)
	}
	if examiner, ok := source.(connectors.SourceExaminer); ok {
		found := examiner.Examine(ctx, standing.State.Records, standing.State.Positions)
		x.add(f, found)
		x.compare(f, found.Depths, depths)
	}
}

func (x *examination) open(ctx context.Context, c *planner.Connection) (connectors.Connection, error) {
	settings, err := c.Settings.Resolve(c.Kind.Connection)
	if err != nil {
		return nil, err
	}
	return c.Kind.Open(ctx, c.Name, settings, func(connectors.Notice) {}) // what it would warn of is examined
}

// ofConnection tells which of the flow's connections a setting belongs to.
func ofConnection(err error, i int) error {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Key != "" {
		return e.About(connectors.ConnectionRole, i, e.Key)
	}
	return err
}

// source opens the flow's source, and reads what the ledger has certified of it.
func (x *examination) source(ctx context.Context, plan *planner.Plan, f *planner.Flow, conn connectors.Connection) (source connectors.Source, standing exec.Standing) {
	if conn == nil {
		return nil, standing
	}
	source, err := conn.OpenSource(ctx, f.Identity, f.SourceSpecs(), connectors.SourceOptions{Epoch: f.Epoch, Fingerprint: f.Fingerprint})
	if fed := plan.Upstream(f); errors.Is(err, connectors.ErrNoSource) && len(fed) > 0 {
		x.note(f, connectors.Finding{Level: connectors.Good, What: "source", Where: f.Sources[0].Connection.Name,
			Found: fmt.Sprintf("not there yet; flow %s writes it", fed[0].Flow)})
		return nil, standing
	}
	if err != nil {
		x.failed(f, "source", f.Sources[0].Connection.Name, err)
		return nil, standing
	}
	standing, err = standingOf(ctx, conn, f)
	if err != nil {
		x.failed(f, "ledger", f.Sources[0].Connection.Name, err)
	}
	return source, standing
}

// standingOf is what the ledger holds of a flow; nothing if the flow has not run.
func standingOf(ctx context.Context, conn connectors.Connection, f *planner.Flow) (exec.Standing, error) {
	ledger, err := conn.FindLedger(ctx, f.Identity)
	if err != nil || ledger == nil {
		return exec.Standing{}, err
	}
	return exec.StandingOf(ctx, ledger, f)
}

// confine leaves the streams out that a run would not read, and says so.
func (x *examination) confine(f *planner.Flow, source connectors.Source, standing exec.Standing) {
	if len(standing.Streams) == 0 {
		return
	}
	for _, s := range source.Streams() {
		if !slices.Contains(standing.Streams, s.Stream) {
			x.note(f, connectors.Finding{Level: connectors.Warned, What: "source", Where: "stream " + s.Stream,
				Found: "it has come to match since the first run, and is not read", Expected: "a decision", Help: "run with --adopt-streams to read it"})
		}
	}
	source.Confine(standing.Streams)
}

// owner says which process runs the flow now.
func (x *examination) owner(ctx context.Context, f *planner.Flow, source connectors.Source, standing exec.Standing) {
	tenure, err := source.Held(ctx)
	if err != nil {
		x.failed(f, "owner", f.Sources[0].Connection.Name, err)
	}
	if tenure != connectors.Occupied || standing.Owner.ID == "" {
		return
	}
	finding := connectors.Finding{Level: connectors.Good, What: "owner", Where: standing.Owner.Host,
		Found: fmt.Sprintf("process %d runs it since %s; another run stands by", standing.Owner.PID, stamp(standing.Owner.Started))}
	if standing.Fingerprint != f.Fingerprint {
		finding.Level, finding.Found = connectors.Warned, fmt.Sprintf("process %d runs another version of it since %s", standing.Owner.PID, stamp(standing.Owner.Started))
		finding.Expected, finding.Help = "this version", "run with --replace to take over from it"
	}
	x.note(f, finding)
}

// sinks opens the flow's sinks, and lets the source keep clear of them.
func (x *examination) sinks(ctx context.Context, f *planner.Flow, conns map[*planner.Connection]connectors.Connection, source connectors.Source) (depths []connectors.Depth) {
	for i, s := range f.Sinks {
		conn := conns[s.Connection]
		if conn == nil {
			continue
		}
		sink, err := x.openSink(ctx, f, conn, s)
		if err != nil {
			x.failed(f, "destination", s.Connection.Name, ofSink(err, i))
			continue
		}
		defer func() { _ = sink.Close() }() // nothing was sent
		if source != nil {
			if err := source.Avoid(sink.Targets()); err != nil {
				x.failed(f, "loop", s.Connection.Name, ofSink(err, i))
			}
		}
		if examiner, ok := sink.(connectors.SinkExaminer); ok {
			found := examiner.Examine(ctx)
			x.add(f, found)
			depths = append(depths, found.Depths...)
		}
	}
	return depths
}

func (x *examination) openSink(ctx context.Context, f *planner.Flow, conn connectors.Connection, s *planner.Sink) (connectors.Sink, error) {
	spec, err := s.Resolved()
	if err != nil {
		return nil, err
	}
	return conn.OpenSink(ctx, f.Identity, spec)
}

func ofSink(err error, i int) error {
	if e, ok := errors.AsType[*connectors.Error](err); ok && e.Role == connectors.SinkRole {
		e.Spec = i
	}
	return err
}

// compare says where a destination keeps less well than a source, or takes less.
func (x *examination) compare(f *planner.Flow, sources, sinks []connectors.Depth) {
	for _, to := range sinks {
		for _, from := range sources {
			finding := connectors.Finding{Level: connectors.Warned, What: "destination", Where: "stream " + to.Stream}
			if to.Replicas < from.Replicas {
				finding.Found = fmt.Sprintf("it has %d of the %d replicas of the source %s", to.Replicas, from.Replicas, from.Stream)
				finding.Expected = fmt.Sprintf("%d replicas", from.Replicas)
				finding.Help = "make the stream, or change it, so that it survives what the source survives"
				x.note(f, finding)
			}
			if to.Message < from.Message {
				finding.Found = fmt.Sprintf("it takes messages up to %s, and the source %s has them up to %s", connectors.FormatSize(to.Message), from.Stream, connectors.FormatSize(from.Message))
				finding.Expected = "messages as large as those of the source"
				finding.Help = "raise the limit, or let `on error` say what becomes of a message that is too large"
				x.note(f, finding)
			}
		}
	}
}

func (x *examination) note(f *planner.Flow, finding connectors.Finding) {
	x.findings = append(x.findings, checkedFinding{f.Flow, finding})
}

// add notes what was found, but nothing twice: a flow's connections and sinks may share a server.
func (x *examination) add(f *planner.Flow, found connectors.Examination) {
	for _, finding := range found.Findings {
		same := func(c checkedFinding) bool {
			return c.Flow == f.Flow && c.What == finding.What && c.Where == finding.Where && c.Found == finding.Found
		}
		if !slices.ContainsFunc(x.findings, same) {
			x.note(f, finding)
		}
	}
}

// failed adds an error, at its place in the file if it has one.
func (x *examination) failed(f *planner.Flow, what, where string, err error) {
	finding := connectors.Finding{Level: connectors.Failing, What: what, Where: where, Found: err.Error(), Err: err}
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		finding.Help = e.Help
	}
	if d, ok := f.Locate(err); ok {
		at := d.Source.Position(d.Span.Start)
		finding.Where = fmt.Sprintf("%s:%d:%d", d.Source.Name, at.Line, at.Column)
		if d.Label != "" {
			finding.Help = d.Label + " " + d.Help
		}
	}
	x.note(f, finding)
}

// status is that of the worst finding: a program that asks for what must not be comes
// before surroundings that are not as they should be.
func (x *examination) status() int {
	status := statusDone
	for _, f := range x.findings {
		switch {
		case f.Level != connectors.Failing || status == statusUsage:
		case connectors.ClassOf(f.Err) == connectors.Refused:
			status = statusUsage
		default:
			status = statusSurrounding
		}
	}
	return status
}

// table shows a finding a row, and below one that is not good what to do.
func (x *examination) table() table {
	t := table{{"LEVEL", "FLOW", "WHAT", "WHERE", "FOUND"}}
	for _, f := range x.findings {
		t = append(t, []string{string(f.Level), f.Flow, f.What, f.Where, f.Found})
		if f.Expected != "" {
			t = append(t, []string{"", "", "", "", "expected: " + f.Expected})
		}
		if f.Help != "" {
			t = append(t, []string{"", "", "", "", "help: " + f.Help})
		}
	}
	return t
}
