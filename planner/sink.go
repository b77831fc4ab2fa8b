package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// sink plans a to clause.
func (c *compiler) sink(f *Flow, to *lang.Sink) {
	conn := c.endpoint(to.Endpoint)
	if conn == nil {
		return
	}
	e := to.Endpoint
	if e.Subject != nil || e.List != nil {
		c.report(lang.Diagnostic{Code: codeSink, Span: e.Span(), Summary: "a sink says its stream and its subject by name",
			Help: "write `to nats stream \"NAME\" subject \"SUBJECT\"`"})
		return
	}
	sink := &Sink{Connection: conn, places: places{file: c.source, span: e.Name.Span()}}
	sink.Spec = connectors.SinkSpec{Connection: conn.Name, Resources: f.Resources(), Selects: f.selects()}
	before := len(c.findings)
	sink.Spec.Settings = c.settings(conn.Kind.Sink, e.Options, &sink.places, "a "+conn.Kind.Name+" sink")
	c.holes(f.holeColumns(), conn.Kind.Sink, e.Options, sink.Spec.Settings)
	if c.findings[before:].HasErrors() {
		return
	}
	sink.Spec.Shaped, sink.Otherwise = f.Shaped(), to.Otherwise
	if to.When != nil {
		sink.When = c.expression(to.When)
	}
	c.sameSink(f, sink)
	f.Sinks = append(f.Sinks, sink)
}

// sameSink refuses a second sink to the same place: equal message ids would let
// the stream drop its messages as duplicates.
func (c *compiler) sameSink(f *Flow, sink *Sink) {
	for _, other := range f.Sinks {
		if other.Connection == sink.Connection && samePlace(sink.Connection.Kind.Sink, other.Spec, sink.Spec) {
			c.report(lang.Diagnostic{Code: codeSameSink, Span: sink.places.span, Summary: "two sinks of the flow write to the same place",
				Notes: []lang.Note{{Source: c.source, Span: other.places.span, Text: "the other one"}},
				Help:  "leave one of them out; with `when`, join the conditions with `or`"})
		}
	}
}

// samePlace says whether a resource goes to one place through both sinks, by all
// that the templates tell.
func samePlace(fields connectors.Fields, a, b connectors.SinkSpec) bool {
	return slices.ContainsFunc(a.Resources, func(resource string) bool {
		named := func(hole string) (string, bool) { return resource, hole == "resource" }
		return !slices.ContainsFunc(fields, func(f connectors.Field) bool {
			return f.Template && a.Settings.Template(f.Key).Fill(named).Canonical() != b.Settings.Template(f.Key).Fill(named).Canonical()
		})
	})
}

// routes judges the conditions of the sinks together.
func (c *compiler) routes(f *Flow) {
	conditions, all := 0, false
	for _, s := range f.Sinks {
		switch {
		case s.When != nil:
			conditions++
		case s.Otherwise:
			all = true
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
func (c *compiler) holes(columns []string, fields connectors.Fields, options []*lang.Option, settings connectors.Settings) {
	for _, o := range options {
		field, ok := fields.Lookup(o.Key.Name)
		if !ok || !field.Template || o.Value.String == nil {
			continue
		}
		settings[field.Key] = settings.Template(field.Key).Fill(c.paramHole)
		text := o.Value.String
		for _, hole := range connectors.ParseTemplate(text.Value).Holes() {
			if c.knownHole(columns, hole.Hole) {
				continue
			}
			known := append([]string{"resource", "subject"}, columns...)
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
	for _, column := range f.Schema.Columns {
		names = append(names, column.Name)
	}
	for _, step := range f.Steps {
		switch {
		case step.Select != nil:
			names = selected(step.Select, names)
		case step.Drop != nil:
			names = slices.DeleteFunc(names, func(name string) bool {
				return slices.ContainsFunc(step.Drop, func(d DropColumn) bool { return d.Name == name })
			})
		}
	}
	return names
}

func selected(columns []SelectColumn, before []string) []string {
	var names []string
	for _, column := range columns {
		if column.Rest {
			names = append(names, before...)
		} else {
			names = append(names, column.Name)
		}
	}
	return names
}
