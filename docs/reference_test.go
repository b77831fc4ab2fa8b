package docs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/expression"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

var update = flag.Bool("update", false, "write the pages of the reference")

// TestReferenceIsCurrent keeps the pages what the tables of the code say.
func TestReferenceIsCurrent(t *testing.T) {
	for path, page := range map[string]string{
		"connectors.md": connectorsPage(nats.Kind()),
		"functions.md":  functionsPage(),
		"errors.md":     errorsPage(),
	} {
		if *update {
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if read(t, path) != page {
			t.Errorf("%s is stale; go test ./docs -update writes it anew", path)
		}
	}
}

func connectorsPage(kind connectors.Kind) string {
	var b strings.Builder
	b.WriteString("# Settings of connectors\n\n" +
		"A setting is a key and a value behind a connection's kind, a source, a sink or a dead letter. " +
		"Texts stand in quotes; numbers, durations (`5s`), sizes (`16MiB`) and words do not. " +
		"A secret is `env \"NAME\"`, `file \"PATH\"` or `secret \"NAME\"`, never a text. A template may hold `<holes>`.\n")
	for _, role := range []struct {
		title, form string
		fields      connectors.Fields
	}{
		{"connection", "connection NAME " + kind.Name, kind.Connection},
		{"source", "from " + kind.Name + " \"SUBJECT\"", kind.Source},
		{"sink", "to " + kind.Name, kind.Sink},
		{"dead letter", "on error dead letter to " + kind.Name, kind.DeadLetter},
	} {
		fmt.Fprintf(&b, "\n## %s: %s\n\n`%s KEY VALUE ...`\n\n", kind.Name, role.title, role.form)
		b.WriteString("| key | type | default | range | secret | template | meaning |\n|---|---|---|---|---|---|---|\n")
		for _, f := range role.fields {
			writeRow(&b, code(f.Key), string(f.Type), defaultOf(f), rangeOf(f), yes(f.Secret), yes(f.Template), f.Doc)
		}
	}
	return b.String()
}

func writeRow(b *strings.Builder, cells ...string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, "|", `\|`)
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

func code(text string) string { return "`" + text + "`" }

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

func defaultOf(f connectors.Field) string {
	if f.Required {
		return "required"
	}
	if text, ok := planner.FormatSetting(f.Default); ok {
		return code(text)
	}
	return ""
}

func rangeOf(f connectors.Field) string {
	switch f.Type {
	case connectors.Word:
		return code(strings.Join(f.Values, "`, `"))
	case connectors.Window:
		return fmt.Sprintf("%s messages, 1 B to %s", f.Range(), connectors.FormatSize(f.MaxBytes))
	case connectors.Count, connectors.Duration, connectors.Size:
		return f.Range()
	}
	return ""
}

func functionsPage() string {
	var b strings.Builder
	b.WriteString("# Functions\n\n" +
		"Functions of expressions, as they stand in `where`, `select` and `when`. " +
		"A `?` marks an argument that may be left out. " +
		"Over null a function is null, unless its text says otherwise. Results are shown as JSON.\n\n" +
		"| function | meaning | example | result |\n|---|---|---|---|\n")
	for _, f := range expression.Functions() {
		writeRow(&b, code(f.Signature), f.Doc, code(f.Example), code(f.Result))
	}
	return b.String()
}

func errorsPage() string {
	var b strings.Builder
	b.WriteString("# Errors and warnings\n\n" +
		"Every finding has a code, which is stable. `flowc explain CODE` prints the same as this page. " +
		"F1 is syntax, F2 names and types, F3 options and plan, F4 warnings, F5 run time.\n")
	for _, e := range lang.Explanations() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n", e.Code, e.Title, e.Text)
		for _, program := range []struct{ title, text string }{{"Wrong", e.Bad}, {"Right", e.Good}} {
			if program.text != "" {
				fmt.Fprintf(&b, "\n%s:\n\n```flow\n%s\n```\n", program.title, lang.Printable(program.text))
			}
		}
	}
	return b.String()
}
