package planner

import (
	"fmt"

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
	sink.Spec = connectors.SinkSpec{Connection: conn.Name, Resources: f.Resources()}
	for _, s := range f.Sources {
		sink.Spec.Selects = append(sink.Spec.Selects, s.Spec.Select)
	}
	before := len(c.findings)
	sink.Spec.Settings = c.settings(conn.Kind.Sink, e.Options, &sink.places, "a "+conn.Kind.Name+" sink")
	c.holes(conn.Kind.Sink, e.Options)
	if c.findings[before:].HasErrors() {
		return
	}
	c.sameSink(f, sink)
	f.Sinks = append(f.Sinks, sink)
}

// sameSink refuses a second sink to the same place: equal message ids would let
// the stream drop its messages as duplicates.
func (c *compiler) sameSink(f *Flow, sink *Sink) {
	for _, other := range f.Sinks {
		if other.Connection == sink.Connection && sameTemplates(sink.Connection.Kind.Sink, other.Spec.Settings, sink.Spec.Settings) {
			c.report(lang.Diagnostic{Code: codeSameSink, Span: sink.places.span, Summary: "two sinks of the flow write to the same place",
				Notes: []lang.Note{{Source: c.source, Span: other.places.span, Text: "the other one"}}})
		}
	}
}

func sameTemplates(fields connectors.Fields, a, b connectors.Settings) bool {
	for _, f := range fields {
		if f.Template && a.Template(f.Key).Text != b.Template(f.Key).Text {
			return false
		}
	}
	return true
}

// holes refuses what no row and no source can fill.
func (c *compiler) holes(fields connectors.Fields, options []*lang.Option) {
	for _, o := range options {
		field, ok := fields.Lookup(o.Key.Name)
		if !ok || !field.Template || o.Value.String == nil {
			continue
		}
		text := o.Value.String
		for _, hole := range connectors.ParseTemplate(text.Value).Holes() {
			if knownHole(hole.Hole) {
				continue
			}
			c.report(lang.Diagnostic{Code: codeUnknownHole, Span: text.Sub(hole.Start, hole.End),
				Summary: fmt.Sprintf("nothing is known that could fill `<%s>`", hole.Hole),
				Label:   didYouMean(hole.Hole, []string{"resource", "subject"}),
				Help:    "`<resource>`, `<subject>` and `<1>`, what the source's first wildcard matched, can be filled"})
		}
	}
}

func knownHole(name string) bool {
	return name == "resource" || name == "subject" || len(name) == 1 && '1' <= name[0] && name[0] <= '9'
}
