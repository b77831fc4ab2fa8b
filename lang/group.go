package lang

import (
	"fmt"
	"slices"
)

// flowOrder is the order of the clauses of a flow.
var flowOrder = map[string]int{
	"flow": 0, "from": 1, "schema": 2, "epoch": 3, "where": 4, "select": 4, "drop": 4, "to": 5, "on": 6,
}

// group makes flows of the clauses, and explains clauses that stand in the
// wrong place. A clause with an error still counts as being there.
func group(p *parser, clauses []cutClause) {
	g := grouper{parser: p}
	for i, c := range clauses {
		g.take(c, p.parsed[i], p.suspect[i])
	}
	g.endFlow()
	g.whole()
}

type grouper struct {
	*parser
	flow     *Flow
	seen     map[string]cutClause // the first clause of each kind in the flow
	last     cutClause            // the furthest clause of the flow in the order, from its `from` on
	early    *cutClause           // the first clause of the flow that stands before its `from`
	broken   bool                 // a clause of the flow, or one that may be, has an error
	any      bool                 // the file has a clause of a flow, or one that may be
	head     Span                 // the word that the flow starts with
	unnamed  []Span               // the heads of the flows without a `flow` clause
	language *cutClause
}

func (g *grouper) take(c cutClause, clause Clause, suspect bool) {
	switch c.word {
	case "language", "param", "connection":
		g.fileClause(c, clause)
		return
	case "schema":
		if clause == nil && !g.open() {
			return // most likely a definition
		}
		if s, ok := clause.(*Schema); ok && s.Name != nil && s.Record != nil {
			g.definition(c, s)
			return
		}
	}
	if _, ok := flowOrder[c.word]; !ok {
		g.broken, g.any = true, true
		return
	}
	if g.startsFlow(c) {
		g.endFlow()
		g.flow = &Flow{span: c.span}
		g.head = keywordSpan(c)
		g.seen, g.last, g.early = map[string]cutClause{}, cutClause{}, nil
	}
	g.any = true
	g.flow.span.End = c.span.End
	g.broken = g.broken || suspect || clause == nil
	g.order(c)
	g.add(clause)
}

func (g *grouper) fileClause(c cutClause, clause Clause) {
	switch clause := clause.(type) {
	case *Language:
		if g.language != nil {
			g.report(repeated(c, *g.language, "a file has one `language` clause"))
			return
		}
		if g.any {
			g.report(Diagnostic{
				Code: "F1040", Span: keywordSpan(c), Summary: "`language` comes first in a file",
				Help: "move the clause to the first line",
			})
		}
		g.language = &c
		g.file.Language = clause
	case *Param:
		g.file.Params = append(g.file.Params, clause)
	case *Connection:
		g.file.Connections = append(g.file.Connections, clause)
	}
}

// definition takes a schema with a name and columns, which belongs to the file.
func (g *grouper) definition(c cutClause, s *Schema) {
	if g.open() {
		g.report(Diagnostic{
			Code: "F1040", Span: keywordSpan(c), Summary: fmt.Sprintf("the schema `%s` is defined inside a flow", s.Name.Name),
			Help: fmt.Sprintf("move the definition before the flow and write `schema %s` here, or leave out the name", s.Name.Name),
		})
		return
	}
	g.file.Schemas = append(g.file.Schemas, s)
}

// open tells if the flow waits for its `to`.
func (g *grouper) open() bool { return g.has("from") && !g.has("to") }

func (g *grouper) has(word string) bool {
	_, ok := g.seen[word]
	return ok
}

// startsFlow tells if a clause begins another flow: `flow`, or a `from` where
// the flow before has what it needs.
func (g *grouper) startsFlow(c cutClause) bool {
	return g.flow == nil || c.word == "flow" || c.word == "from" && g.has("from") && g.has("to")
}

// order reports a clause that stands after one that it should precede, or that
// its flow has already.
func (g *grouper) order(c cutClause) {
	first, again := g.seen[c.word]
	switch {
	case again && c.word == "from":
		g.report(secondFrom(c, first))
	case again && !slices.Contains([]string{"where", "select", "drop", "to"}, c.word):
		g.report(repeated(c, first, fmt.Sprintf("a flow has one `%s` clause", title(c.word))))
	case c.word == "from" && g.early != nil:
		g.report(beforeFrom(*g.early, c))
	case g.last.word != "" && flowOrder[c.word] < flowOrder[g.last.word]:
		g.report(misplaced(c, g.last))
	}
	if !again {
		g.seen[c.word] = c
	}
	if c.word == "flow" {
		return
	}
	if g.last.word == "" && g.early == nil && c.word != "from" {
		g.early = &c
	}
	if g.early == nil && flowOrder[c.word] > flowOrder[g.last.word] || c.word == "from" {
		g.last = c
	}
}

func (g *grouper) add(clause Clause) {
	f := g.flow
	switch clause := clause.(type) {
	case *FlowName:
		f.Name = clause.Name
	case *From:
		f.From = clause
	case *Schema:
		f.Schema = clause
	case *Epoch:
		f.Epoch = clause
	case Step:
		f.Steps = append(f.Steps, clause)
	case *Sink:
		f.Sinks = append(f.Sinks, clause)
	case *OnError:
		f.OnError = clause
	}
}

// endFlow completes the flow, and reports what it lacks, unless one of its
// clauses has an error and may hide just that.
func (g *grouper) endFlow() {
	if g.flow == nil {
		return
	}
	switch {
	case g.broken:
	case !g.has("from"):
		g.report(lacksFrom(g.head))
	case !g.has("to"):
		g.report(lacksTo(g.flow, keywordSpan(g.seen["from"])))
	}
	if !g.has("flow") {
		g.unnamed = append(g.unnamed, g.head)
	}
	g.file.Flows = append(g.file.Flows, g.flow)
	g.flow, g.seen, g.broken = nil, nil, false
}

// whole reports what concerns the file as a whole.
func (g *grouper) whole() {
	if !g.any && len(g.diagnostics) == 0 {
		g.report(Diagnostic{
			Code: "F1042", Span: Span{}, Summary: "the file has no flow",
			Help: "a first one: `from nats \"orders.>\" to nats stream \"ORDERS_V1\" subject \"v1.<resource>\"`",
		})
	}
	if len(g.file.Flows) < 2 {
		return
	}
	for _, head := range g.unnamed {
		g.report(needsName(head, len(g.file.Flows)))
	}
}

func keywordSpan(c cutClause) Span { return tokenSpan(c.tokens[0]) }
