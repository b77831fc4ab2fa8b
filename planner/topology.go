package planner

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
)

// order sorts the flows so that each comes after those that feed it, and refuses
// flows that feed each other. What a flow writes and reads itself is judged
// elsewhere: it never reads its own destination.
func (c *compiler) order() *Plan {
	plan := &Plan{upstream: map[*Flow][]*Flow{}}
	written := map[*Sink]connectors.Written{}
	for _, f := range c.flows {
		for _, s := range f.Sinks {
			written[s] = s.Connection.Kind.Writes(s.Spec)
		}
	}
	c.together(written)
	for _, f := range c.flows {
		for _, other := range c.flows {
			if other == f {
				continue
			}
			if _, _, ok := feeds(other, f, written); ok {
				plan.upstream[f] = append(plan.upstream[f], other)
			}
		}
	}
	left := slices.Clone(c.flows)
	for len(left) > 0 {
		next := slices.IndexFunc(left, func(f *Flow) bool {
			return !slices.ContainsFunc(plan.upstream[f], func(u *Flow) bool { return slices.Contains(left, u) })
		})
		if next < 0 {
			c.circle(plan, left, written)
			break
		}
		plan.Flows = append(plan.Flows, left[next])
		left = slices.Delete(left, next, next+1)
	}
	return plan
}

// circle reports one circle among flows of which each has another one before it.
func (c *compiler) circle(plan *Plan, left []*Flow, written map[*Sink]connectors.Written) {
	seen := []*Flow{}
	f := left[0]
	for !slices.Contains(seen, f) {
		seen = append(seen, f)
		at := slices.IndexFunc(plan.upstream[f], func(u *Flow) bool { return slices.Contains(left, u) })
		f = plan.upstream[f][at]
	}
	seen = seen[slices.Index(seen, f):]
	slices.Reverse(seen) // from the writer to the reader
	d := lang.Diagnostic{Code: codeLoop, Source: f.file, Span: f.span, Summary: fmt.Sprintf("the flows %s feed each other", quotedFlows(seen)),
		Help: "let one of them read, or write, subjects that the others do not"}
	for i, writer := range seen {
		reader := seen[(i+1)%len(seen)]
		sink, source, _ := feeds(writer, reader, written)
		d.Notes = append(d.Notes,
			lang.Note{Source: writer.file, Span: sink.places.span, Text: fmt.Sprintf("`%s` writes here", writer.Flow)},
			lang.Note{Source: reader.file, Span: source.places.span, Text: fmt.Sprintf("`%s` reads it here", reader.Flow)})
	}
	c.findings = append(c.findings, d)
}

func quotedFlows(flows []*Flow) string {
	text := ""
	for i, f := range flows {
		switch {
		case i == 0:
		case i == len(flows)-1:
			text += " and "
		default:
			text += ", "
		}
		text += "`" + f.Flow + "`"
	}
	return text
}

// feeds finds a sink of the one flow that writes what a source of the other reads.
func feeds(writer, reader *Flow, written map[*Sink]connectors.Written) (*Sink, *Source, bool) {
	for _, sink := range writer.Sinks {
		for _, source := range reader.Sources {
			if sameConnection(sink.Connection, source.Connection) && source.Connection.Kind.Reads(source.Spec, written[sink]) {
				return sink, source, true
			}
		}
	}
	return nil, nil, false
}

// sameConnection compares what connections are, since each file has its own.
func sameConnection(a, b *Connection) bool {
	return a == b || a.Kind.Name == b.Kind.Name && reflect.DeepEqual(a.Settings, b.Settings)
}

// together tells each sink which others write into its stream.
func (c *compiler) together(written map[*Sink]connectors.Written) {
	byPlace := map[string][]*Sink{}
	for _, f := range c.flows {
		for _, s := range f.Sinks {
			place := written[s].Place
			byPlace[place] = append(byPlace[place], s)
		}
	}
	for _, sinks := range byPlace {
		specs := make([]connectors.SinkSpec, len(sinks))
		for i, s := range sinks {
			specs[i] = s.Spec
		}
		for i, s := range sinks {
			for j, other := range sinks {
				if i != j && sameConnection(s.Connection, other.Connection) {
					s.Spec.Together = append(s.Spec.Together, specs[j])
				}
			}
		}
	}
}
