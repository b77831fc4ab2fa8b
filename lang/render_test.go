package lang

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestRenderColor(t *testing.T) {
	src := &Source{Name: "a\x1b.flow", Text: "where x"}
	ds := Diagnostics{{Code: "F4001", Severity: Warning, Summary: "odd", Source: src, Span: Span{6, 7}, Label: "this"}}
	var b bytes.Buffer
	if err := Render(&b, ds, RenderOptions{Color: true}); err != nil {
		t.Fatal(err)
	}
	const want = "a\\x1b.flow:1:7: \x1b[1;33mwarning[F4001]\x1b[0m: \x1b[1modd\x1b[0m\n" +
		"\x1b[34m 1 |\x1b[0m where x\n\x1b[34m   |\x1b[0m       \x1b[1;33m^ this\x1b[0m\n"
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
}

func TestRenderWithoutPlace(t *testing.T) {
	ds := Diagnostics{{Code: "F5001", Summary: "no server", Notes: []Note{{Text: "tried two"}}, Help: "start one"}}
	want := "error[F5001]: no server\n   = note: tried two\n   = help: start one\n"
	if got := rendered(t, ds); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRenderLongLine(t *testing.T) {
	src := &Source{Name: "long.flow", Text: strings.Repeat("日", 50_000) + "HERE" + strings.Repeat("b", 50_000)}
	at := strings.Index(src.Text, "HERE")
	out := rendered(t, Diagnostics{{Code: "F1001", Summary: "x", Source: src, Span: Span{at, at + 4}}})
	lines := strings.Split(out, "\n")
	if len(out) > 2000 || len(lines) != 4 {
		t.Fatalf("%d bytes, %d lines", len(out), len(lines))
	}
	shown, carets := []rune(lines[1]), []rune(lines[2])
	if at := strings.IndexRune(string(carets), '^'); string(shown[len([]rune(string(carets)[:at])):][:4]) != "HERE" {
		t.Errorf("the carets are not under the place:\n%s", out)
	}
}

func TestRenderSpanOverLines(t *testing.T) {
	src := &Source{Name: "a.flow", Text: "ab\ncd"}
	want := "a.flow:1:2: error[F1001]: x\n 1 | ab\n   |  ^\n"
	if got := rendered(t, Diagnostics{{Code: "F1001", Summary: "x", Source: src, Span: Span{1, 5}}}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDiagnosticJSON(t *testing.T) {
	src := &Source{Name: "a.flow", Text: "from\nwhere é = 1"}
	d := Diagnostic{
		Code: "F1031", Summary: "s", Source: src, Span: Span{14, 15}, Label: "l", Help: "h",
		Notes: []Note{{Text: "n"}, {Source: src, Span: Span{0, 4}, Text: "m"}},
	}
	got, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"code":"F1031","severity":"error","summary":"s","file":"a.flow","line":2,"column":9,"end_line":2,"end_column":10,` +
		`"label":"l","notes":[{"text":"n"},{"file":"a.flow","line":1,"column":1,"end_line":1,"end_column":5,"text":"m"}],"help":"h"}`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDiagnosticsAsError(t *testing.T) {
	if err := (Diagnostics{{Severity: Warning}}).Err(); err != nil {
		t.Errorf("a warning is an error: %v", err)
	}
	_, ds := Parse(&Source{Name: "a.flow", Text: "from nats \"a\"\nwhere a = 1\nto nats stream \"x\""})
	const want = "a.flow:2:9: error[F1031]: `=` is not an operator (did you mean `==`?); `==` compares; a flow assigns nothing"
	if err := ds.Err(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
