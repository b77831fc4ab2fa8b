package langserver

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzServe checks that whatever a client sends ends the session, and no more.
func FuzzServe(f *testing.F) {
	initialize := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
	for _, body := range []string{
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"a.flow","text":"from nats \"a\""}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"a"},"contentChanges":[{"range":{},"text":"x"}]}}`,
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/completion","params":{"textDocument":{"uri":"a"},"position":{"line":1}}}`,
		`[]`,
	} {
		f.Add(fmt.Sprintf("Content-Length: %d\r\n\r\n%sContent-Length: %d\r\n\r\n%s", len(initialize), initialize, len(body), body))
	}
	f.Fuzz(func(t *testing.T, bytes string) {
		var out strings.Builder
		if err := Serve(strings.NewReader(bytes), &out, testOptions); err == nil && !strings.Contains(bytes, "shutdown") {
			t.Error("a session without shutdown ended well")
		}
		if !utf8.ValidString(out.String()) {
			t.Errorf("the output is not UTF-8: %q", out.String())
		}
	})
}

// FuzzDocument asks everything about every kind of text, and checks that the
// places in the answers lie inside of it.
func FuzzDocument(f *testing.F) {
	paths, err := filepath.Glob("../../../examples/*.flow")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no examples: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for at := 0; at < len(text); at += len(text)/5 + 1 {
			f.Add(string(text), at)
		}
	}
	f.Add(declarations+"from nats \"a\" schema order where customer?.name == \"<\" to nats stream \"<param.env", 300)
	f.Add("schema o { a: { b: [", 20)
	f.Add("\uFEFF#!x\r\n\xff\xfe𝕏 from", 12)
	s := &server{out: io.Discard, options: testOptions, related: true}
	f.Fuzz(func(t *testing.T, text string, offset int) {
		d := newDocument(textDocumentItem{URI: "file:///a.flow", Text: text})
		inside := func(r textRange) {
			span := d.lines.spanOf(r)
			if d.lines.rangeOf(span) != r {
				t.Errorf("%+v is not a place of %q", r, text)
			}
		}
		at := d.lines.offset(d.lines.position(offset))
		for _, found := range s.findings(d) {
			inside(found.Range)
		}
		for _, item := range s.complete(d, at) {
			inside(item.TextEdit.Range)
		}
		if h := s.hover(d, at); h != nil {
			inside(h.Range)
		}
		if l := definition(d, at); l != nil {
			inside(l.Range)
		}
	})
}
