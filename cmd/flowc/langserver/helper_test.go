package langserver

import (
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
)

// cursor marks a place in the documents of tests.
const cursor = "¦"

var testOptions = Options{Kinds: []connectors.Kind{nats.Kind()}, Namespace: "default", Version: "test"}

// marked is a document without its mark, and where the mark stood.
func marked(t *testing.T, text string) (*document, int) {
	t.Helper()
	before, after, ok := strings.Cut(text, cursor)
	if !ok || strings.Contains(after, cursor) {
		t.Fatalf("expected one %s in the document:\n%s", cursor, text)
	}
	return newDocument(textDocumentItem{URI: "file:///flows/orders.flow", Text: before + after}), len(before)
}

// declarations begin the documents that use names.
const declarations = `param env string = "dev"
param least float = 0
connection warehouse nats url "nats://warehouse:4222"
schema order { id: string, amount: float?, "job-id": int, customer: { name: string, city: string? }, ... }
`
