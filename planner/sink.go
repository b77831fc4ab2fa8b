package planner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// maxSinks bounds the sinks of a flow. Each has a link of its own, and those of
// one stream know of each other.
const maxSinks = 256

func (c *compiler) toClauses(f *Flow, clauses []*lang.Sink) {
	if len(clauses) > maxSinks {
		c.report(lang.Diagnostic{Code: codeSink, Span: clauses[maxSinks].Endpoint.Name.Span(), Summary: fmt.Sprintf("a flow has at most %d sinks, found %d", maxSinks, len(clauses)),
			Help: "write to many subjects through holes, as in `subject \"v1.<resource>\"`, or write several flows"})
		return
	}
	c.sinks = map[place]*Sink{}
	for _, to := range clauses {
		c.sink(f, to)
	}
}

// sink plans a to clause. One that is refused keeps its condition.
func (c *compiler) sink(f *Flow, to *lang.Sink) {
	before := len(c.findings)
	sink := c.destination(f, to.Endpoint)
	sink.refused = sink.Connection == nil || c.findings[before:].HasErrors()
	sink.Spec.Shaped, sink.Otherwise = f.Shaped(), to.Otherwise
	if to.When != nil {
		sink.When = c.expression(to.When)
	}
	if !sink.refused {
		c.sameSink(sink)
	}
	f.Sinks = append(f.Sinks, sink)
}

func (c *compiler) destination(f *Flow, e *lang.Endpoint) *Sink {
	sink := &Sink{Connection: c.endpoint(e), places: places{file: c.source, span: e.Name.Span()}}
	conn := sink.Connection
	switch {
	case conn == nil:
	case e.Subject != nil || e.List != nil:
		c.report(lang.Diagnostic{Code: codeSink, Span: e.Span(), Summary: "a sink says its stream and its subject by name",
			Help: "write `to nats stream \"NAME\" subject \"SUBJECT\"`"})
	default:
		sink.Spec = connectors.SinkSpec{Connection: conn.Name, Resources: f.Resources(), Selects: f.selects()}
		sink.Spec.Settings = c.settings(conn.Kind.Sink, e.Options, &sink.places, "a "+conn.Kind.Name+" sink", nil)
		c.holes(f, f.holeColumns(), conn.Kind.Sink, e.Options, sink.Spec.Settings)
		if complete := conn.Kind.CompleteSink; complete != nil {
			complete(sink.Spec.Settings)
		}
	}
	return sink
}

// place is where a resource goes, by all that the templates of a sink tell.
type place struct {
	connection *Connection
	resource   string
	templates  string
}

func placeOf(sink *Sink, resource string) place {
	named := func(hole string) (string, bool) { return resource, hole == "resource" }
	p := place{connection: sink.Connection, resource: resource}
	for _, f := range sink.Connection.Kind.Sink {
		if f.Template {
			p.templates += sink.Spec.Settings.Template(f.Key).Fill(named).Canonical() + "\x00"
		}
	}
	return p
}

// sameSink refuses a second sink to the same place: equal message ids would let
// the stream drop its messages as duplicates.
func (c *compiler) sameSink(sink *Sink) {
	for _, resource := range sink.Spec.Resources {
		at := placeOf(sink, resource)
		if other := c.sinks[at]; other != nil && other != sink { // equal resources are reported as such
			c.report(lang.Diagnostic{Code: codeSameSink, Span: sink.places.span, Summary: "two sinks of the flow write to the same place",
				Notes: []lang.Note{{Source: c.source, Span: other.places.span, Text: "the other one"}},
				Help:  "leave one of them out; with `when`, join the conditions with `or`"})
			return
		}
		c.sinks[at] = sink
	}
}

// routes judges the conditions of the sinks together.
func (c *compiler) routes(f *Flow) {
	conditions, all := 0, false
	for _, s := range f.Sinks {
		switch {
		case s.When != nil:
			conditions++
		default:
			all = true
		}
	}
	for _, s := range f.Sinks {
		if s.Otherwise && conditions == 0 {
			c.report(lang.Diagnostic{Code: codeOtherwise, Span: s.places.span, Summary: "`otherwise` takes the rows that no `when` took, and there is no `when`",
				Help: "leave `otherwise` out, or give another sink a `when`"})
		}
	}
	if conditions > 0 && !all {
		c.report(lang.Diagnostic{Code: codeUnrouted, Severity: lang.Warning, Span: f.Sinks[0].places.span,
			Summary: "rows for which no `when` is true go nowhere; they are counted and acknowledged", Help: "add a sink with `otherwise` if they matter"})
	}
}

// holes fills parameters in, and refuses what no source and none of the columns
// can fill.
func (c *compiler) holes(f *Flow, columns []string, fields connectors.Fields, options []*lang.Option, settings connectors.Settings) {
	for _, o := range options {
		field, ok := fields.Lookup(o.Key.Name)
		if !ok || !field.Template || o.Value.String == nil {
			continue
		}
		settings[field.Key] = settings.Template(field.Key).Fill(c.paramHole)
		text := o.Value.String
		for _, hole := range connectors.ParseTemplate(text.Value).Holes() {
			mayBeColumn := f.schemaBroken && !strings.Contains(hole.Hole, ".")
			if mayBeColumn || c.knownHole(columns, hole.Hole) {
				continue
			}
			known := append([]string{"resource", "subject"}, columns...)
			for _, param := range slices.Sorted(maps.Keys(c.parameters)) {
				known = append(known, "param."+param)
			}
			c.report(lang.Diagnostic{Code: codeUnknownHole, Span: text.Sub(hole.Start, hole.End),
				Summary: fmt.Sprintf("nothing is known that could fill `<%s>`", hole.Hole), Label: didYouMean(hole.Hole, known),
				Help: "a hole is `<resource>`, `<subject>`, `<1>` for what the source's first wildcard matched, `<param.NAME>`, or a column that `schema` or `select` names"})
		}
	}
}

func (c *compiler) paramHole(hole string) (string, bool) {
	name, ok := strings.CutPrefix(hole, "param.")
	if !ok {
		return "", false
	}
	return c.paramText(name)
}

func (c *compiler) knownHole(columns []string, name string) bool {
	if param, ok := strings.CutPrefix(name, "param."); ok {
		_, known := c.paramText(param)
		return known
	}
	return name == "resource" || name == "subject" || len(name) == 1 && '1' <= name[0] && name[0] <= '9' || slices.Contains(columns, name)
}

// holeColumns are the columns that are known to reach the sinks before a message
// is seen: those that the last select names, or those of the declared schema.
func (f *Flow) holeColumns() []string {
	var names []string
	for _, column := range f.knownLast().Columns {
		names = append(names, column.Name)
	}
	return names
}
