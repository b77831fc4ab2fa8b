package planner

import (
	"fmt"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// sources plans the from clause; a list of subjects is one source each.
func (c *compiler) sources(f *Flow, from *lang.From) {
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
	if e.Subject == nil && e.List == nil {
		c.unboundSource(e)
		return
	}
	if e.List != nil && ref.As != nil {
		c.report(lang.Diagnostic{Code: codeResourceName, Span: ref.As.Span(), Summary: "`as` names one resource, and a list of subjects is one resource a subject",
			Help: "write each subject as a source of its own: `from nats \"a\" as x, nats \"b\" as y`"})
		return
	}
	at := places{file: c.source, span: e.Span()}
	settings := c.settings(conn.Kind.Source, e.Options, &at, "a "+conn.Kind.Name+" source")
	for _, subject := range subjects(e) {
		at := at
		at.span = subject.Span()
		spec := connectors.SourceSpec{Connection: conn.Name, Select: subject.Value, Settings: settings}
		spec.Resource = c.resource(f, conn, spec, ref.As, at.span)
		f.Sources = append(f.Sources, &Source{Connection: conn, Spec: spec, places: at})
	}
}

func subjects(e *lang.Endpoint) []*lang.String {
	if e.List != nil {
		return e.List.Strings
	}
	return []*lang.String{e.Subject}
}

// unboundSource reports a source without a subject.
func (c *compiler) unboundSource(e *lang.Endpoint) {
	for _, o := range e.Options {
		if o.Key.Name == "consumer" || o.Key.Name == "stream" {
			c.notYet(o.Key.Span(), "reading through a consumer of your own", "name the subjects: `from nats \"orders.>\"`")
			return
		}
		if o.Key.Name == "kv" {
			c.notYet(o.Key.Span(), "`kv` as a source", "name the bucket's subjects: `from nats \"$KV.BUCKET.>\"`")
			return
		}
	}
	c.report(lang.Diagnostic{Code: codeSource, Span: e.Span(), Summary: "the source does not say what to read", Help: "name the subjects: `from nats \"orders.>\"`"})
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
