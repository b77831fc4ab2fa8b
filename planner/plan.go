package planner

import (
	"errors"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/rows"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
)

// Plan is what a run will do.
type Plan struct {
	Flows []*Flow // each after those that feed it

	upstream map[*Flow][]*Flow
}

// Upstream are the flows of the run that write what the flow reads.
func (p *Plan) Upstream(f *Flow) []*Flow { return p.upstream[f] }

// Flow is one flow, resolved.
type Flow struct {
	connectors.Identity
	// Fingerprint is equal for two plans that do the same with every message. It
	// covers neither secrets nor addresses, bounds or time-outs.
	Fingerprint string

	Sources []*Source   // all on one connection; at least one
	Schema  rows.Schema // as the flow declares it; the zero one if it does not
	Epoch   connectors.Bounds
	Steps   []Step
	Sinks   []*Sink // at least one
	Retry   Retry
	BadRow  BadRow
	Dead    *DeadLetter // of KeepBadRows

	params map[string]expression.Param
	file   *lang.Source
	span   lang.Span // of the flow's first clause
	called lang.Span // its name, or its first clause if it has none
	schema lang.Span // where the schema is declared
	// schemaBroken: a mistake in the schema is reported, so its columns are not known.
	schemaBroken bool
}

// File is the name of the file that the flow stands in.
func (f *Flow) File() string { return f.file.Name }

// Connection is a named connection, or the default one of its kind.
type Connection struct {
	Name     string
	Kind     connectors.Kind
	Settings connectors.Settings

	places places
}

// Declared says whether a file declares the connection; else it is the default
// one of its kind.
func (c *Connection) Declared() bool { return c.places.file != nil }

// Source is one source of a flow.
type Source struct {
	Connection *Connection
	Spec       connectors.SourceSpec

	places places
}

// Sink is one sink of a flow.
type Sink struct {
	Connection *Connection
	Spec       connectors.SinkSpec
	When       *Expression // nil: every row, or those that Otherwise says
	Otherwise  bool        // the rows that no When took

	places  places
	refused bool // an error in it is reported; only its condition is good to look at
}

// Resolved is what the sink is opened with: its settings, with what they read from the
// environment or from files in its place. An error is about a sink, and does not say
// which of the flow's it is.
func (s *Sink) Resolved() (connectors.SinkSpec, error) {
	spec := s.Spec
	var err error
	spec.Settings, err = spec.Settings.Resolve(s.Connection.Kind.Sink)
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		e.Role = connectors.SinkRole
	}
	return spec, err
}

// BadRow is what happens to a row that cannot be processed as it is.
type BadRow uint8

// What happens to bad rows.
const (
	StopAtBadRow BadRow = iota
	SkipBadRows
	KeepBadRows // as dead letters
)

// DeadLetter says where the messages of bad rows go.
type DeadLetter struct {
	Connection *Connection
	Spec       connectors.DeadLetterSpec

	places places
}

// Retry is what happens after a transient failure.
type Retry struct {
	Times    int // 0 is without end
	Min, Max time.Duration
}

// SourceSpecs are the specs of all sources.
func (f *Flow) SourceSpecs() []connectors.SourceSpec {
	specs := make([]connectors.SourceSpec, len(f.Sources))
	for i, s := range f.Sources {
		specs[i] = s.Spec
	}
	return specs
}

// Connections are those of the sources, the sinks and the dead letters, each once.
func (f *Flow) Connections() []*Connection {
	var all []*Connection
	add := func(c *Connection) {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	for _, s := range f.Sources {
		add(s.Connection)
	}
	for _, s := range f.Sinks {
		add(s.Connection)
	}
	if f.Dead != nil {
		add(f.Dead.Connection)
	}
	return all
}

// selects are what the sources read, in their order.
func (f *Flow) selects() []string {
	all := make([]string, len(f.Sources))
	for i, s := range f.Sources {
		all[i] = s.Spec.Select
	}
	return all
}

// Resources are the names of the flow's resources, in the order of its sources.
func (f *Flow) Resources() []string {
	names := make([]string, len(f.Sources))
	for i, s := range f.Sources {
		names[i] = s.Spec.Resource
	}
	return names
}

// places knows where in the file a part of the flow and its settings stand.
type places struct {
	file *lang.Source // nil for what no file says, such as the default connection
	span lang.Span
	keys map[string]lang.Span
}

func (p places) of(key string) lang.Span {
	if span, ok := p.keys[key]; ok {
		return span
	}
	return p.span
}

// Locate makes a diagnostic of an error that a connector returned at run time:
// it stands where the setting stands that the error is about, or at the flow's
// beginning. The flow's text knows nothing of any other error.
func (f *Flow) Locate(err error) (lang.Diagnostic, bool) {
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Role == connectors.NoRole {
		return lang.Diagnostic{}, false
	}
	at := f.placesOf(e.Role, e.Spec)
	if at.file == nil {
		at = places{file: f.file, span: f.span}
	}
	d := lang.Diagnostic{
		Code: codeSurroundings, Severity: lang.Error, Summary: err.Error(),
		Source: at.file, Span: at.of(e.Key), Help: e.Help,
	}
	if e.Named != "" {
		d.Label = didYouMean(e.Named, e.Among)
	}
	if e.Other != nil {
		if other := f.placesOf(e.Other.Role, e.Other.Spec); other.file != nil {
			d.Notes = append(d.Notes, lang.Note{Source: other.file, Span: other.span, Text: e.Other.Text})
		}
	}
	return d, true
}

func (f *Flow) placesOf(role connectors.Role, spec int) places {
	switch {
	case role == connectors.SourceRole && spec < len(f.Sources):
		return f.Sources[spec].places
	case role == connectors.SinkRole && spec < len(f.Sinks):
		return f.Sinks[spec].places
	case role == connectors.DeadLetterRole && f.Dead != nil:
		return f.Dead.places
	case role == connectors.ConnectionRole && spec < len(f.Connections()):
		return f.Connections()[spec].places
	}
	return places{}
}
