package langserver

import (
	"strings"
	"testing"
)

const goodFlow = "from nats \"orders.>\"\nto nats stream \"OUT\" subject \"out.v1\"\n"

func TestSession(t *testing.T) {
	c, found := open(t, "from nats \"orders.>\"\r\nto nats strem \"OUT\" subject \"/*𝕏*/out.v1\"")
	if len(found) != 1 || found[0].Code != "F3001" || !strings.Contains(found[0].Message, "did you mean `stream`?") {
		t.Fatalf("expected the misspelled option, found %+v", found)
	}
	if want := (textRange{position{1, 8}, position{1, 13}}); found[0].Range != want || found[0].Severity != severityError {
		t.Errorf("expected an error at %v, found %+v", want, found[0])
	}

	c.notify("textDocument/didChange", didChangeParams{documentIdentifier{testURI, 2}, []contentChange{
		{Range: &textRange{position{1, 12}, position{1, 12}}, Text: "a"},
		{Range: &textRange{position{1, 36}, position{1, 39}}, Text: "what"},
	}})
	if found = c.findings(2); len(found) != 0 {
		t.Errorf("expected no findings once the option is spelled well, found %+v", found)
	}

	c.notify("textDocument/didChange", didChangeParams{documentIdentifier{testURI, 3}, []contentChange{{Text: "from nats \"orders.>\" to nats stream \"OUT\" subject \"out.v1\""}}})
	if found = c.findings(3); len(found) != 0 {
		t.Errorf("expected no findings, found %+v", found)
	}

	edits := result[[]textEdit](t, c.call("textDocument/formatting", documentParams{documentIdentifier{URI: testURI}}))
	if len(edits) != 1 || edits[0].NewText != goodFlow || edits[0].Range != (textRange{End: position{0, 58}}) {
		t.Errorf("expected the whole document to become\n%s\nfound %+v", goodFlow, edits)
	}
	at := positionParams{documentIdentifier{URI: testURI}, position{0, 31}}
	if hover := result[hoverResult](t, c.call("textDocument/hover", at)); !strings.Contains(hover.Contents.Value, "stream: string, required") {
		t.Errorf("found %+v", hover)
	}
	if a := c.call("textDocument/definition", at); string(a.Result) != "null" {
		t.Errorf("an option is declared nowhere, found %s", a.Result)
	}
	at.Position.Character = 26
	if items := result[[]completionItem](t, c.call("textDocument/completion", at)); len(items) != 1 || items[0].Label != "nats" {
		t.Errorf("expected the kind, found %+v", items)
	}

	c.notify("textDocument/didClose", documentParams{documentIdentifier{URI: testURI}})
	if found = c.findings(3); len(found) != 0 {
		t.Errorf("a document that is closed has findings: %+v", found)
	}
	if a := c.call("textDocument/hover", at); string(a.Result) != "null" {
		t.Errorf("a document that is closed is known: %s", a.Result)
	}
	if a := c.call("shutdown", nil); a.Error != nil || string(a.Result) != "null" {
		t.Errorf("expected null, found %+v", a)
	}
	c.notify("exit", nil)
	if err := c.ended(); err != nil {
		t.Error(err)
	}
}

func TestNotesPointAtTheirPlace(t *testing.T) {
	_, found := open(t, "schema a { x: int }\nschema a { y: int }\n"+goodFlow)
	if len(found) != 1 || len(found[0].Related) != 1 {
		t.Fatalf("expected one finding that points at the first schema, found %+v", found)
	}
	if related := found[0].Related[0]; related.Location != (location{testURI, textRange{position{0, 7}, position{0, 8}}}) {
		t.Errorf("found %+v", related)
	}
}

func TestWarningsAndGoodFlows(t *testing.T) {
	_, found := open(t, "from nats \"orders.>\"\nto nats stream \"OUT\" subject \"out.v1\" when id == 1")
	if len(found) != 1 || found[0].Severity != severityWarning || found[0].Code != "F4002" {
		t.Errorf("expected a warning about rows that go nowhere, found %+v", found)
	}
}

func TestFormattingLeavesWhatIsBrokenOrGood(t *testing.T) {
	for _, text := range []string{"from nats", goodFlow} {
		c, _ := open(t, text)
		if edits := result[[]textEdit](t, c.call("textDocument/formatting", documentParams{documentIdentifier{URI: testURI}})); len(edits) != 0 {
			t.Errorf("%q: expected no edits, found %+v", text, edits)
		}
	}
}

// TestFindingsComeAfterTheBurst checks that of changes that come in together only
// the last is checked.
func TestFindingsComeAfterTheBurst(t *testing.T) {
	c, _ := open(t, "")
	var burst strings.Builder
	for version := 2; version <= 12; version++ {
		burst.WriteString(framed(t, notification{rpcVersion, "textDocument/didChange",
			didChangeParams{documentIdentifier{testURI, version}, []contentChange{{Text: goodFlow}}}}))
	}
	if burst.Len() >= 4096 {
		t.Fatalf("the burst is too long to be read at once: %d bytes", burst.Len())
	}
	c.raw(burst.String())
	if found := c.findings(12); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
}

func framed(t *testing.T, message any) string {
	t.Helper()
	var text strings.Builder
	if err := writeMessage(&text, message); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestDocumentsAreBounded(t *testing.T) {
	c, _ := open(t, goodFlow)
	c.notify("textDocument/didChange", didChangeParams{documentIdentifier{testURI, 2}, []contentChange{{Text: strings.Repeat(" ", maxDocument+1)}}})
	if found := c.findings(2); len(found) != 1 || !strings.Contains(found[0].Message, "larger than 1048576 bytes") {
		t.Errorf("expected one finding about the size, found %+v", found)
	}
	c.notify("textDocument/didChange", didChangeParams{documentIdentifier{testURI, 3}, []contentChange{{Range: &textRange{}, Text: "x"}}})
	if a := c.call("textDocument/completion", positionParams{documentIdentifier{URI: testURI}, position{}}); a.Error != nil {
		t.Error(a.Error)
	}
}
