package rows

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxNesting bounds how many objects and lists lie in each other, the row
	// itself counted.
	maxNesting = 64

	// maxColumns bounds the columns of a schema, with all members and elements:
	// a column costs memory in every row, whether the row has it or not.
	maxColumns = 4096
)

// inference reads one message against a draft. It either turns the draft into
// a type that admits the message or says why none does. Columns and inference
// share their parsers, so that they agree on what fits.
type inference struct {
	*reader
	declared bool
	columns  int
	at       path
}

// infer gives the row type that admits message, starting from known. With
// fixing, the message is the first and its members become the columns.
func infer(r *reader, message []byte, known Type, fixing bool) (Type, *RowError) {
	in := &inference{reader: r, declared: !known.Inferred, columns: countColumns(known)}
	row := newDraft(known)
	row.fixing = fixing
	r.reset(message)
	if r.json.PeekKind() != '{' {
		return Type{}, in.notObject()
	}
	if err := in.object(row); err != nil {
		return Type{}, err
	}
	if err := r.end(); err != nil {
		return Type{}, in.syntax(err)
	}
	return row.finish(), nil
}

func countColumns(t Type) int {
	n := len(t.Fields)
	if t.Elem != nil {
		n += 1 + countColumns(*t.Elem)
	}
	for _, f := range t.Fields {
		n += countColumns(f.Type)
	}
	return n
}

func (in *inference) value(d *draft) *RowError {
	kind := in.json.PeekKind()
	if d.Kind != JSON {
		switch kind {
		case '{':
			return in.nested(d, Record, in.object)
		case '[':
			return in.nested(d, List, in.list)
		}
	}
	literal, err := in.json.ReadValue()
	if err != nil {
		return in.syntax(err)
	}
	if kind == 'n' {
		if !d.Nullable {
			return in.null(d.Type)
		}
		return nil
	}
	return in.leaf(d, literal)
}

func (in *inference) nested(d *draft, kind Kind, read func(*draft) *RowError) *RowError {
	if d.Kind != Open && d.Kind != kind {
		return in.mismatch(d.Type, typeWord(kind))
	}
	if len(in.at) >= maxNesting {
		return in.fail(fmt.Sprintf("expected at most %d levels of nesting, found more", maxNesting), "")
	}
	if d.Kind == Open {
		d.fix(kind)
		if kind == List {
			if err := in.count(); err != nil {
				return err
			}
		}
	}
	return read(d)
}

func (in *inference) list(d *draft) *RowError {
	if _, err := in.json.ReadToken(); err != nil {
		return in.syntax(err)
	}
	for i := 0; in.json.PeekKind() != ']'; i++ {
		in.at = append(in.at, step{index: i})
		if err := in.value(d.elem); err != nil {
			return err
		}
		in.at = in.at[:len(in.at)-1]
	}
	return in.close()
}

func (in *inference) object(d *draft) *RowError {
	if _, err := in.json.ReadToken(); err != nil {
		return in.syntax(err)
	}
	seen := make([]bool, len(d.members))
	for in.json.PeekKind() != '}' {
		key, err := in.json.ReadValue()
		if err != nil {
			return in.syntax(err)
		}
		name := in.text(key)
		if len(in.at) == 0 && isReserved(name) {
			if err := in.skip(); err != nil {
				return in.syntax(err)
			}
			continue
		}
		if err := in.member(d, string(name), &seen); err != nil {
			return err
		}
	}
	for i, m := range d.members[:len(seen)] {
		if !seen[i] && !m.Nullable {
			in.at = append(in.at, step{name: d.names[i], member: true})
			return in.missing(m.Type)
		}
	}
	return in.close()
}

// member reads the value of a member; seen covers the members that d had
// before this object.
func (in *inference) member(d *draft, name string, seen *[]bool) *RowError {
	in.at = append(in.at, step{name: name, member: true})
	i, known := d.index[name]
	switch {
	case known && i < len(*seen):
		(*seen)[i] = true
	case !known:
		if err := in.admit(d, name); err != nil {
			return err
		}
		i = len(d.members) - 1
	}
	if err := in.value(d.members[i]); err != nil {
		return err
	}
	in.at = in.at[:len(in.at)-1]
	return nil
}

// admit adds a member to a record, if the record takes new ones.
func (in *inference) admit(d *draft, name string) *RowError {
	if !d.fixing && !d.Open {
		return in.unknown()
	}
	if err := in.count(); err != nil {
		return err
	}
	d.add(name, newDraft(inferredOpen))
	return nil
}

// count counts a new column, member or element type.
func (in *inference) count() *RowError {
	if in.columns++; in.columns > maxColumns {
		return in.fail(fmt.Sprintf("expected at most %d columns, members and elements, found more", maxColumns),
			"declare the object that has so many as `json` in a `schema { ... }` clause")
	}
	return nil
}

func (in *inference) close() *RowError {
	if _, err := in.json.ReadToken(); err != nil {
		return in.syntax(err)
	}
	return nil
}

// leaf takes a value that is neither null nor, unless d is JSON, a list or an
// object.
func (in *inference) leaf(d *draft, literal jsontext.Value) *RowError {
	if literal.Kind() == '0' && d.Kind != JSON && d.Kind != Decimal {
		return in.number(d, literal)
	}
	if d.Kind == Open {
		d.fix(literalKind(literal))
	}
	if fits(in.reader, d.Type, literal) {
		return nil
	}
	if literal.Kind() == '"' && hasTextForm(d.Kind) {
		return in.malformed(d.Type)
	}
	return in.mismatch(d.Type, literalWord(literal))
}

func (in *inference) number(d *draft, literal jsontext.Value) *RowError {
	if !isDigits(literal) && !isFinite(literal) {
		return in.syntax(errNumberRange)
	}
	if d.Kind == Open {
		d.fix(literalKind(literal))
	}
	v, integral := parseInt(literal)
	switch {
	case d.Kind == Int && integral:
		d.Wide = d.Wide || d.Inferred && isWide(v)
		return nil
	case d.Kind == Int && isDigits(literal):
		return in.beyond(d.Type, literal)
	case d.Kind == Int && d.Inferred && !d.Wide:
		d.Kind = Float
		return nil
	case d.Kind == Int && d.Wide:
		return in.failTypes("int", "float", helpWide)
	case d.Kind == Float:
		if _, exact := parseFloat(literal); !exact {
			return in.beyond(d.Type, literal)
		}
		return nil
	default:
		return in.mismatch(d.Type, literalWord(literal))
	}
}

// fits reports whether a literal other than null or a number is a value of t.
func fits(r *reader, t Type, literal jsontext.Value) bool {
	var ok bool
	switch t.Kind {
	case Bool:
		return literal.Kind() == 't' || literal.Kind() == 'f'
	case String:
		return literal.Kind() == '"'
	case JSON:
		return true
	case Bytes:
		_, ok = appendBase64(r, nil, literal)
	case Decimal:
		_, ok = appendDecimal(r, nil, literal)
	case Timestamp:
		_, ok = readTimestamp(r, literal)
	case Date:
		_, ok = readDate(r, literal)
	}
	return ok
}

// hasTextForm reports whether values of a kind are written as JSON strings
// that not every string can be.
func hasTextForm(k Kind) bool {
	return k == Bytes || k == Timestamp || k == Date
}
