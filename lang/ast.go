package lang

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// A File is a parsed program. It holds only what parsed without an error, so a
// planner should look at it only if there are none.
type File struct {
	Source      *Source
	Language    *Language // nil if the program does not say
	Params      []*Param
	Connections []*Connection
	Schemas     []*Schema // with a name and a record; those in flows are not among them
	Flows       []*Flow
	Clauses     []Clause // every clause, in the order of the text
}

// A Flow is what stands between one `from` and the next.
type Flow struct {
	Name    *Slug // nil: the file's base name names the flow
	From    *From
	Schema  *Schema // nil, a name, or a record
	Epoch   *Epoch  // nil: the defaults
	Steps   []Step
	Sinks   []*Sink
	OnError *OnError // nil: the defaults

	span Span
}

// Span reaches from the flow's first clause to the end of its last.
func (f *Flow) Span() Span { return f.span }

// A Clause is one of [Language], [Param], [Connection], [Schema], [FlowName],
// [From], [Epoch], [Where], [Select], [Drop], [Sink] and [OnError].
type Clause interface {
	Span() Span
	clause()
}

// A Step is one of [Where], [Select] and [Drop].
type Step interface {
	Clause
	step()
}

// node gives a syntax node its place. Participle fills in the fields.
type node struct{ Pos, EndPos lexer.Position }

// Span returns the place of the node in [Source.Text].
func (n node) Span() Span { return Span{n.Pos.Offset, n.EndPos.Offset} }

func (*Language) clause()   {}
func (*Param) clause()      {}
func (*Connection) clause() {}
func (*Schema) clause()     {}
func (*FlowName) clause()   {}
func (*From) clause()       {}
func (*Epoch) clause()      {}
func (*Where) clause()      {}
func (*Select) clause()     {}
func (*Drop) clause()       {}
func (*Sink) clause()       {}
func (*OnError) clause()    {}

func (*Where) step()  {}
func (*Select) step() {}
func (*Drop) step()   {}
