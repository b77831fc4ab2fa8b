package langserver

import (
	"net/url"
	"path"

	"github.com/flowlang/flow/lang"
)

const (
	maxDocument  = 1 << 20 // bytes; a flow is a few hundred
	maxDocuments = 256
)

// document is a text that the editor holds open.
type document struct {
	uri      string
	version  int
	lines    lines
	tooLarge bool // the text is not kept but empty; a full text makes it good again
	changed  bool // since its findings were published

	file   *lang.File // nil until the text is parsed
	syntax lang.Diagnostics
}

func newDocument(item textDocumentItem) *document {
	d := &document{uri: item.URI, version: item.Version}
	d.set(item.Text)
	return d
}

// set gives the document a new text.
func (d *document) set(text string) {
	d.changed, d.tooLarge = true, len(text) > maxDocument
	if d.tooLarge {
		text = ""
	}
	d.lines, d.file = newLines(text), nil
}

func (d *document) text() string { return d.lines.text }

// parsed is the text parsed, once it is asked for.
func (d *document) parsed() (*lang.File, lang.Diagnostics) {
	if d.file == nil {
		d.file, d.syntax = lang.Parse(&lang.Source{Name: sourceName(d.uri), Text: d.text()})
	}
	return d.file, d.syntax
}

// change applies the changes one after the other. A change of a part of a text
// that is not kept cannot be applied.
func (d *document) change(version int, changes []contentChange) {
	d.version = version
	for _, c := range changes {
		switch {
		case c.Range == nil:
			d.set(c.Text)
		case !d.tooLarge:
			span := d.lines.spanOf(*c.Range)
			d.set(d.text()[:span.Start] + c.Text + d.text()[span.End:])
		}
	}
}

// sourceName is the file's name, which names a flow that has none.
func sourceName(uri string) string {
	parsed, err := url.Parse(uri)
	if err != nil {
		return path.Base(uri)
	}
	if parsed.Opaque != "" {
		return path.Base(parsed.Opaque)
	}
	return path.Base(parsed.Path)
}
