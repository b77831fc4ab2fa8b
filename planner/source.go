package planner

import (
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// maxSources bounds the sources of a flow, each of which is held against all
// others and against all destinations.
const maxSources = 1000

// sources plans the from clause; a list of subjects is one source each.
func (c *compiler) sources(f *Flow, from *lang.From) {
	n := 0
	for _, ref := range from.Sources {
		n += max(len(ref.Endpoint.Subjects()), 1)
	}
	if n > maxSources {
		c.report(lang.Diagnostic{Code: codeSource, Span: from.Sources[0].Endpoint.Name.Span(), Summary: fmt.Sprintf("a flow has at most %d sources, found %d", maxSources, n),
			Help: "read several subjects through one wildcard, as in `orders.>`, or write several flows"})
		return
	}
	for _, ref := range from.Sources {
		c.sourceRef(f, ref)
	}
}

func (c *compiler) sourceRef(f *Flow, ref *lang.SourceRef) {
	conn := c.endpoint(ref.Endpoint)
	if conn == nil {
		return
	}
	if len(f.Sources) > 0 && f.Sources[0].Connection != conn {
		c.notYet(ref.Endpoint.Name.Span(), "sources on several connections in one flow", "write one flow a connection")
		return
	}
	e := ref.Endpoint
	if e.List != nil && ref.As != nil {
		c.report(lang.Diagnostic{Code: codeResourceName, Span: ref.As.Span(), Summary: "`as` names one resource, and a list of subjects is one resource a subject",
			Help: "write each subject as a source of its own: `from nats \"a\" as x, nats \"b\" as y`"})
		return
	}
	at := places{file: c.source, span: e.Span()}
	settings := c.settings(conn.Kind.Source, e.Options, &at, "a "+conn.Kind.Name+" source", conn.Kind.SourceLacks)
	if len(e.Subjects()) == 0 {
		at.span = e.Name.Span()
		spec := connectors.SourceSpec{Connection: conn.Name, Settings: settings}
		if conn.Kind.Select != nil {
			spec.Select = conn.Kind.Select(settings)
		}
		spec.Resource = c.resource(f, conn, spec, ref.As, at.span)
		f.Sources = append(f.Sources, &Source{Connection: conn, Spec: spec, places: at})
	}
	for _, subject := range e.Subjects() {
		at := at
		at.span = subject.Span()
		if subject.Value == "" {
			c.report(lang.Diagnostic{Code: codeSource, Span: at.span, Summary: "the source's subject is empty", Help: "name what to read: `from nats \"orders.>\"`"})
			continue
		}
		if c.sourceHole(subject) {
			continue
		}
		spec := connectors.SourceSpec{Connection: conn.Name, Select: subject.Value, Settings: settings}
		spec.Resource = c.resource(f, conn, spec, ref.As, at.span)
		f.Sources = append(f.Sources, &Source{Connection: conn, Spec: spec, places: at})
	}
}

// sourceHole refuses what would fill a hole of a destination: in a source it is
// text, which no message's subject holds.
func (c *compiler) sourceHole(subject *lang.String) bool {
	for _, hole := range connectors.ParseTemplate(subject.Value).Holes() {
		if strings.HasPrefix(hole.Hole, "param.") || c.knownHole(nil, hole.Hole) {
			c.report(lang.Diagnostic{Code: codeSource, Span: subject.Sub(hole.Start, hole.End),
				Summary: fmt.Sprintf("expected a source's subject, found the hole `<%s>`", hole.Hole),
				Help:    "only destinations have holes; write the subject, with `*` for any one token and a last `>` for the rest"})
			return true
		}
	}
	return false
}

// resource is the name of what the source reads.
func (c *compiler) resource(f *Flow, conn *Connection, spec connectors.SourceSpec, as *lang.Name, at lang.Span) string {
	name := conn.Kind.ResourceName(spec)
	if as != nil {
		name, at = as.Text(), as.Span()
	}
	switch {
	case name == "" && as != nil:
		c.errorf(codeResourceName, at, "the resource's name is empty")
	case name == "" && spec.Select == "":
		name = "unnamed" // the binding is incomplete, which is reported as such
	case name == "":
		c.report(lang.Diagnostic{Code: codeResourceName, Span: at, Summary: fmt.Sprintf("no resource name can be made of `%s`", spec.Select),
			Help: "name it: `as NAME` after the source"})
	case len(name) > maxName:
		c.errorf(codeResourceName, at, "the resource's name is longer than %d characters", maxName)
	}
	for _, other := range f.Sources {
		if name != "" && other.Spec.Resource == name {
			c.report(lang.Diagnostic{Code: codeResourceName, Span: at, Summary: fmt.Sprintf("two sources give the resource `%s`", name),
				Notes: []lang.Note{{Source: c.source, Span: other.places.span, Text: "the other one"}},
				Help:  "name one of them otherwise, with `as NAME`"})
		}
	}
	return name
}
