package planner

import (
	"fmt"
	"slices"
	"strings"
)

// graph is what rows pass through, for drawing: one part for each flow.
type graph struct {
	flows []flowGraph
	edges []edge // from flow to flow
}

type flowGraph struct {
	title string
	nodes []node
	edges []edge
}

// node is a source, an epoch, a step or a sink. Its id is the same for equal plans.
type node struct {
	id    string
	kind  nodeKind
	lines []string
}

type nodeKind uint8

const (
	outsideNode nodeKind = iota // a source or a sink
	innerNode                   // an epoch or a step
)

// edge is the way of rows from one node to another.
type edge struct {
	from, to string
	label    string // which rows; empty for all
}

func (p *Plan) graph() graph {
	var g graph
	for i, f := range p.Flows {
		g.flows = append(g.flows, f.graph(flowID(i)))
	}
	for to, f := range p.Flows {
		for _, upstream := range p.Upstream(f) {
			g.edges = append(g.edges, feedEdges(upstream, f, flowID(slices.Index(p.Flows, upstream)), flowID(to))...)
		}
	}
	return g
}

func flowID(i int) string { return fmt.Sprintf("flow%d", i+1) }

func nodeID(flow, role string, i int) string { return fmt.Sprintf("%s_%s%d", flow, role, i+1) }

// feedEdges are the edges from the sinks of one flow to the sources of another.
func feedEdges(from, to *Flow, fromID, toID string) []edge {
	var edges []edge
	for i, sink := range from.Sinks {
		for j, source := range to.Sources {
			if sameConnection(sink.Connection, source.Connection) && source.Connection.Kind.Reads(source.Spec, sink.Connection.Kind.Writes(sink.Spec)) {
				edges = append(edges, edge{from: nodeID(fromID, "sink", i), to: nodeID(toID, "source", j)})
			}
		}
	}
	return edges
}

func (f *Flow) graph(id string) flowGraph {
	g := flowGraph{title: "flow " + f.Flow}
	at := id + "_epoch"
	for i, s := range f.Sources {
		source := nodeID(id, "source", i)
		g.nodes = append(g.nodes, node{id: source, kind: outsideNode, lines: []string{s.text(), "as " + s.Spec.Resource}})
		g.edges = append(g.edges, edge{from: source, to: at})
	}
	g.nodes = append(g.nodes, node{id: at, kind: innerNode, lines: []string{"epoch: " + f.epochText(), f.knownFirst().String()}})
	after := f.knownAfter()
	for i, text := range f.stepTexts() {
		step := node{id: nodeID(id, "step", i), kind: innerNode, lines: []string{text}}
		if f.Steps[i].Where == nil {
			step.lines = append(step.lines, after[i].String())
		}
		g.nodes = append(g.nodes, step)
		g.edges = append(g.edges, edge{from: at, to: step.id})
		at = step.id
	}
	for i, s := range f.Sinks {
		sink := node{id: nodeID(id, "sink", i), kind: outsideNode, lines: []string{s.Connection.Name + templatesText(s.Connection.Kind.Sink, s.Spec.Settings)}}
		g.nodes = append(g.nodes, sink)
		g.edges = append(g.edges, edge{from: at, to: sink.id, label: strings.TrimSpace(s.routeText())})
	}
	if d := f.Dead; d != nil {
		dead := node{id: id + "_dead", kind: outsideNode, lines: []string{"dead letters: " + d.Connection.Name + templatesText(d.Connection.Kind.DeadLetter, d.Spec.Settings)}}
		g.nodes = append(g.nodes, dead)
		g.edges = append(g.edges, edge{from: at, to: dead.id, label: "bad rows"})
	}
	return g
}
