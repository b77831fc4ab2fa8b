package langserver

import "github.com/flowlang/flow/lang"

// site is what stands at a place of a program, as far as an editor can help.
type site struct {
	kind   siteKind
	span   lang.Span // of the word, the string or the expression
	name   string    // the word
	expr   *lang.Expr
	text   *lang.String // a string in a value
	holder holder       // of a key, a value or a text
	key    string       // of a value or a text
}

type siteKind int

const (
	noSite         siteKind = iota
	connectionSite          // the name of a connection, or a kind in its place
	kindSite                // the kind of a connection
	schemaSite              // the name of a schema, where it is used
	typeSite
	keySite
	valueSite   // a word or an amount of an option
	defaultSite // a word as a parameter's default
	textSite
	expressionSite
	columnSite // the name of a column in a select or a drop
	newSite    // a name that is given here
)

// holder is what has options.
type holder struct {
	role    role
	name    string // of the connection or kind
	options []*lang.Option
}

type role int

const (
	connectionRole role = iota
	sourceRole
	sinkRole
	deadLetterRole
	epochRole
)

// siteAt finds what stands at a byte offset, its end included.
func siteAt(file *lang.File, at int) site {
	f := finder{at: at}
	for _, c := range file.Clauses {
		if f.on(c) {
			f.clause(c)
		}
	}
	return f.found
}

type finder struct {
	at    int
	found site
}

type node interface{ Span() lang.Span }

func (f *finder) on(n node) bool {
	return n.Span().Start <= f.at && f.at <= n.Span().End
}

func (f *finder) clause(c lang.Clause) {
	switch c := c.(type) {
	case *lang.Param:
		f.word(newSite, c.Name)
		f.typ(c.Type)
		if c.Default != nil {
			f.word(defaultSite, c.Default.Word)
		}
	case *lang.Connection:
		f.word(newSite, c.Name)
		f.word(kindSite, c.Kind)
		f.options(holder{connectionRole, c.Kind.Name, c.Options})
	case *lang.Schema:
		if c.Record == nil {
			f.word(schemaSite, c.Name)
			return
		}
		f.word(newSite, c.Name)
		f.record(c.Record)
	case *lang.FlowName:
		if f.on(c.Name) {
			f.found = site{kind: newSite, span: c.Name.Span(), name: c.Name.Name}
		}
	case *lang.From:
		for _, s := range c.Sources {
			f.endpoint(sourceRole, s.Endpoint)
			f.name(newSite, s.As)
		}
	case *lang.Epoch:
		f.options(holder{role: epochRole, options: c.Options})
	case *lang.Where:
		f.expression(c.Expr)
	case *lang.Select:
		f.fields(c.Fields)
	case *lang.Drop:
		for _, name := range c.Columns {
			f.name(columnSite, name)
		}
	case *lang.Sink:
		f.endpoint(sinkRole, c.Endpoint)
		f.expression(c.When)
	case *lang.OnError:
		if c.Action != nil && c.Action.DeadLetter != nil {
			f.endpoint(deadLetterRole, c.Action.DeadLetter)
		}
	}
}

func (f *finder) word(kind siteKind, word *lang.Ident) {
	if word != nil && f.on(word) {
		f.found = site{kind: kind, span: word.Span(), name: word.Name}
	}
}

func (f *finder) endpoint(role role, e *lang.Endpoint) {
	f.word(connectionSite, e.Name)
	f.options(holder{role, e.Name.Name, e.Options})
}

func (f *finder) options(h holder) {
	for _, o := range h.options {
		if !f.on(o) {
			continue
		}
		f.word(keySite, o.Key)
		if f.on(o.Value) {
			f.value(o.Value)
		}
		f.found.holder, f.found.key = h, o.Key.Name
	}
}

func (f *finder) value(v *lang.Value) {
	f.found = site{kind: valueSite, span: v.Span()}
	switch {
	case v.Word != nil:
		f.found.name = v.Word.Name
	case v.String != nil:
		f.found.kind, f.found.text = textSite, v.String
	case v.Reference != nil, v.List != nil:
		f.found = site{}
	}
}

func (f *finder) record(r *lang.Record) {
	for _, c := range r.Columns {
		if !c.Rest && f.on(c) {
			f.name(newSite, c.Name)
			f.typ(c.Type)
		}
	}
}

func (f *finder) typ(t *lang.Type) {
	switch {
	case t.Record != nil:
		f.record(t.Record)
	case t.Element != nil:
		f.typ(t.Element)
	default:
		f.word(typeSite, t.Name)
	}
}

func (f *finder) fields(fields []*lang.Field) {
	for _, field := range fields {
		if !field.Rest {
			f.name(columnSite, field.Name)
			f.expression(field.Expr)
		}
	}
}

func (f *finder) name(kind siteKind, name *lang.Name) {
	if name != nil && f.on(name) {
		f.found = site{kind: kind, span: name.Span(), name: name.Text()}
	}
}

func (f *finder) expression(e *lang.Expr) {
	if e != nil && f.on(e) {
		f.found = site{kind: expressionSite, span: e.Span(), expr: e}
	}
}
