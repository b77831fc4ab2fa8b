package rows

import "slices"

// draft is a type that inference may change in place: the message under
// inspection turns a draft of the schema into one that admits it.
type draft struct {
	Type
	elem    *draft
	names   []string
	members []*draft
	index   map[string]int

	// fixing says that this message gives the type its kind, so that all
	// objects in it together decide on the members.
	fixing bool
}

func newDraft(t Type) *draft {
	d := &draft{Type: t}
	switch t.Kind {
	case List:
		d.elem = newDraft(*t.Elem)
	case Record:
		d.index = make(map[string]int, len(t.Fields))
		for _, f := range t.Fields {
			d.add(f.Name, newDraft(f.Type))
		}
	}
	return d
}

// fix gives an open type the kind of the first value.
func (d *draft) fix(kind Kind) {
	d.Kind = kind
	d.fixing = true
	switch kind {
	case List:
		d.elem = newDraft(inferredOpen)
	case Record:
		d.index = map[string]int{}
	}
}

func (d *draft) add(name string, m *draft) {
	d.index[name] = len(d.names)
	d.names = append(d.names, name)
	d.members = append(d.members, m)
}

// finish gives the type that the draft has become.
func (d *draft) finish() Type {
	t := d.Type
	if d.elem != nil {
		elem := d.elem.finish()
		t.Elem = &elem
	}
	t.Fields = slices.Grow([]Column(nil), len(d.members))
	for i, m := range d.members {
		t.Fields = append(t.Fields, Column{Name: d.names[i], Type: m.finish()})
	}
	return t
}
