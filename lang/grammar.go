package lang

// The syntax nodes are the grammar: each struct is a production, its tags in
// participle's notation are the rule. A clause is parsed on its own, from its
// keyword to the end of its tokens.

// Language is `language 1`.
type Language struct {
	node
	Version *Quantity `parser:"'language':Keyword @@"`
}

// Param is `param NAME TYPE = DEFAULT`.
type Param struct {
	node
	Name    *Ident `parser:"'param':Keyword @@"`
	Type    *Type  `parser:"@@"`
	Default *Value `parser:"('=' @@)?"` // nil: the parameter must be given
}

// Connection is `connection NAME KIND OPTION VALUE ...`.
type Connection struct {
	node
	Name    *Ident    `parser:"'connection':Keyword @@"`
	Kind    *Ident    `parser:"@@"`
	Options []*Option `parser:"@@*"`
}

// Schema is `schema NAME { ... }`, or one of the two in a flow.
type Schema struct {
	node
	Name   *Ident  `parser:"'schema':Keyword @@?"`
	Record *Record `parser:"@@?"`
}

// FlowName is `flow NAME`.
type FlowName struct {
	node
	Name *Slug `parser:"'flow':Keyword @@"`
}

// Slug is a word that may hold `-` and start with a digit.
type Slug struct {
	node
	Name string `parser:"@(Ident | Number | '-')+"`
}

// From is `from SOURCE, SOURCE`.
type From struct {
	node
	Sources []*SourceRef `parser:"'from':Keyword @@ (',' @@)*"`
}

// SourceRef is one of the sources of a flow.
type SourceRef struct {
	node
	Endpoint *Endpoint `parser:"@@"`
	As       *Name     `parser:"('as' @@)?"` // nil: the default resource name
}

// Epoch is `epoch 1000/1s/4MiB`. See [Epoch.Records], [Epoch.Wait] and
// [Epoch.Bytes] for what the bounds are.
type Epoch struct {
	node
	Bounds  *Bounds   `parser:"'epoch':Keyword @@"`
	Options []*Option `parser:"@@*"`
}

// Where is `where EXPRESSION`.
type Where struct {
	node
	Expr *Expr `parser:"'where':Keyword @@"`
}

// Select is `select { ... }`.
type Select struct {
	node
	Fields []*Field `parser:"'select':Keyword '{' (@@ (',' ((?! '}') @@)?)*)? '}'"`
}

// Field is a column of a select: `...`, a column as it is, or a new one.
type Field struct {
	node
	Rest bool  `parser:"( @'...'"`
	Name *Name `parser:"| @@"`
	Expr *Expr `parser:"  (':' @@)? )"` // nil: the column of that name
}

// Drop is `drop COLUMN, COLUMN`.
type Drop struct {
	node
	Columns []*Name `parser:"'drop':Keyword @@ (',' @@)*"`
}

// Sink is `to ENDPOINT`, with at most one of a condition and `otherwise`.
type Sink struct {
	node
	Endpoint  *Endpoint `parser:"'to':Keyword @@"`
	When      *Expr     `parser:"( 'when' @@"`
	Otherwise bool      `parser:"| @'otherwise' )?"`
}

// OnError is `on error`, with a retry, an action, or both.
type OnError struct {
	node
	Retry  *Retry  `parser:"'on':Keyword 'error' @@?"`
	Action *Action `parser:"('then'? @@)?"`
}

// Retry is `retry TIMES backoff MIN..MAX`.
type Retry struct {
	node
	Times *Quantity `parser:"'retry' @@"`
	Min   *Quantity `parser:"('backoff' @@"`
	Max   *Quantity `parser:" ('..' @@)? )?"`
}

// Action is what happens to a bad row; exactly one of the fields is set.
type Action struct {
	node
	Stop       bool      `parser:"( @'stop'"`
	Skip       bool      `parser:"| @'skip'"`
	DeadLetter *Endpoint `parser:"| 'dead' 'letter' 'to' @@ )"`
}

// Endpoint is a connection's name or a kind, what to use there, and how.
type Endpoint struct {
	node
	Name    *Ident    `parser:"@@"`
	Subject *String   `parser:"( @@"`
	List    *List     `parser:"| @@ )?"` // several subjects
	Options []*Option `parser:"@@*"`
}

// Subjects returns the subject or the list of them, whichever there is.
func (e *Endpoint) Subjects() []*String {
	switch {
	case e.Subject != nil:
		return []*String{e.Subject}
	case e.List != nil:
		return e.List.Strings
	}
	return nil
}

// Option is a key and its value.
type Option struct {
	node
	Key   *Ident `parser:"(?! 'when' | 'otherwise' | 'as' ) @@"`
	Value *Value `parser:"@@"`
}

// Value is the value of an option or a parameter; exactly one field is set.
type Value struct {
	node
	Reference *Reference `parser:"  @@"`
	Bounds    *Bounds    `parser:"| @@"`
	String    *String    `parser:"| @@"`
	List      *List      `parser:"| @@"`
	Word      *Ident     `parser:"| (?! 'env' | 'secret') @@"`
}

// Reference is a value kept elsewhere: From is "env", "secret" or "file".
type Reference struct {
	node
	From string  `parser:"(?= ('env' | 'secret' | 'file') (String | Raw)) @('env' | 'secret' | 'file')"`
	Name *String `parser:"@@"`
}

// List is `["A", "B"]`; it is not empty.
type List struct {
	node
	Strings []*String `parser:"'[' @@ (',' @@)* ']'"`
}

// Bounds are quantities that belong together: `1024/16MiB`. It is not empty.
type Bounds struct {
	node
	Quantities []*Quantity `parser:"@@ ('/' @@)*"`
}

// Record is `{ NAME: TYPE, ... }`.
type Record struct {
	node
	Columns []*Column `parser:"'{' (@@ (',' ((?! '}') @@)?)*)? '}'"`
}

// Column is a column of a record, or `...`, which leaves the record open.
type Column struct {
	node
	Rest bool  `parser:"( @'...'"`
	Name *Name `parser:"| @@ ':'"`
	Type *Type `parser:"  @@ )"`
}

// Type is a type's name, an array of Element, or a record.
type Type struct {
	node
	Name     *Ident  `parser:"( @@"`
	Element  *Type   `parser:"| '[' @@ ']'"`
	Record   *Record `parser:"| @@ )"`
	Nullable bool    `parser:"@'?'?"`
}

// Ident is a word.
type Ident struct {
	node
	Name string `parser:"@Ident"`
}

// Name is a column's or a resource's name, a word or a string.
type Name struct {
	node
	Word   string  `parser:"  @Ident"`
	Quoted *String `parser:"| @@"`
}

// Text returns the name, whichever way it was written.
func (n *Name) Text() string {
	if n.Quoted != nil {
		return n.Quoted.Value
	}
	return n.Word
}
