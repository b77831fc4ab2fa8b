package connectors

import "strings"

// Template is a text with holes, such as "<resource>.v1".
type Template struct {
	Text  string
	Parts []TemplatePart
}

// TemplatePart is a literal or, if Hole is not empty, a hole.
type TemplatePart struct {
	Literal    string
	Hole       string
	Start, End int // bytes of Template.Text
}

// ParseTemplate finds the holes of a text: <name>, and {resource} or
// {{resource}}. A '<' that closes nothing is text.
func ParseTemplate(text string) Template {
	t := Template{Text: text}
	literal := 0 // where the literal before the next hole begins
	for at := 0; at < len(text); {
		name, length := holeAt(text[at:])
		if length == 0 {
			at++
			continue
		}
		t.addLiteral(literal, at)
		t.Parts = append(t.Parts, TemplatePart{Hole: name, Start: at, End: at + length})
		at += length
		literal = at
	}
	t.addLiteral(literal, len(text))
	return t
}

func (t *Template) addLiteral(start, end int) {
	if start < end {
		t.Parts = append(t.Parts, TemplatePart{Literal: t.Text[start:end], Start: start, End: end})
	}
}

// holeAt is the name and the length of the hole that text begins with, if any.
func holeAt(text string) (name string, length int) {
	for _, spelling := range []string{"{{resource}}", "{resource}"} {
		if strings.HasPrefix(text, spelling) {
			return "resource", len(spelling)
		}
	}
	if text[0] != '<' {
		return "", 0
	}
	end := strings.IndexAny(text[1:], "<>")
	if end < 1 || text[1+end] != '>' {
		return "", 0
	}
	return text[1 : 1+end], end + 2
}

// Holes are the parts that are holes.
func (t Template) Holes() []TemplatePart {
	var holes []TemplatePart
	for _, p := range t.Parts {
		if p.Hole != "" {
			holes = append(holes, p)
		}
	}
	return holes
}

// Fill replaces the holes that have a value, and leaves the others. A value
// brings no new holes.
func (t Template) Fill(value func(hole string) (string, bool)) Template {
	var filled Template
	for _, p := range t.Parts {
		text, hole := p.Literal, p.Hole
		if hole != "" {
			text = t.Text[p.Start:p.End]
			if v, ok := value(hole); ok {
				text, hole = v, ""
			}
		}
		filled.add(text, hole)
	}
	return filled
}

func (t *Template) add(text, hole string) {
	part := TemplatePart{Hole: hole, Start: len(t.Text), End: len(t.Text) + len(text)}
	if hole == "" {
		part.Literal = text
	}
	t.Text += text
	t.Parts = append(t.Parts, part)
}

// Canonical is the text with every hole in its first spelling, <name>: equal for
// templates that mean the same.
func (t Template) Canonical() string {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Hole != "" {
			b.WriteString("<" + p.Hole + ">")
		} else {
			b.WriteString(p.Literal)
		}
	}
	return b.String()
}

// Constant says whether the text has no holes.
func (t Template) Constant() bool { return len(t.Holes()) == 0 }

// Append appends the text with every hole filled.
func (t Template) Append(dst []byte, fill func(dst []byte, hole string) []byte) []byte {
	for _, p := range t.Parts {
		if p.Hole == "" {
			dst = append(dst, p.Literal...)
		} else {
			dst = fill(dst, p.Hole)
		}
	}
	return dst
}

// Template is a template setting.
func (s Settings) Template(key string) Template { v, _ := s[key].(Template); return v }
