package docs_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The fenced blocks of language.md are tests:
//
//	flow              a program without findings
//	flow error F...   a program for which the check finds that error alone
//	flow warning F... the same with a warning
//	plan              lines of the plan of the program before them
//	in SUBJECT        messages, a line each, that the program before them reads
//	out SUBJECT       what is on the subject then, without the envelope's columns
//	stops             what the error says with which the run ends
//	row               a message, for the values behind it
//	values            EXPRESSION => JSON, a line each, over the row before them

const languagePage = "language.md"

func TestProgramsCompile(t *testing.T) {
	for _, b := range blocks(t, languagePage) {
		if b.kind != "flow" {
			continue
		}
		_, found := compileProgram(b.text, "")
		var got []string
		for _, d := range found {
			got = append(got, fmt.Sprintf("%s %s", d.Severity, d.Code))
		}
		if strings.Join(got, " ") != b.argument {
			t.Errorf("%s: expected findings %q, found %v", b, b.argument, found)
		}
	}
}

func TestPlansSay(t *testing.T) {
	var program block
	for _, b := range blocks(t, languagePage) {
		switch b.kind {
		case "flow":
			program = b
		case "plan":
			plan, found := compileProgram(program.text, "")
			if plan == nil {
				t.Fatalf("%s: %v", program, found)
			}
			var text strings.Builder
			if err := plan.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.text) {
				if !strings.Contains(text.String(), line) {
					t.Errorf("%s: expected the line\n%sin\n%s", b, line, &text)
				}
			}
		}
	}
}

func TestExamplesRun(t *testing.T) {
	for _, e := range examples(blocks(t, languagePage)) {
		t.Run(e.program.String(), func(t *testing.T) {
			t.Parallel()
			server, err := run(t, e.program.text, e.in)
			if stops := strings.TrimSpace(e.stops.text); (err != nil) != (stops != "") || err != nil && !strings.Contains(err.Error(), stops) {
				t.Fatalf("ended with %v, expected %q", err, stops)
			}
			for _, out := range e.out {
				if got := strings.Join(stored(t, server, out.argument), "\n"); got != strings.TrimSpace(out.text) {
					t.Errorf("%s holds\n%s\nexpected\n%s", out.argument, got, out.text)
				}
			}
		})
	}
}

// example is a program, what it reads, and what it must have written then.
type example struct {
	program block
	in, out []block
	stops   block
}

// examples are the programs that are followed by what they read.
func examples(all []block) []example {
	var found []example
	for _, b := range all {
		last := len(found) - 1
		switch b.kind {
		case "flow":
			found = append(found, example{program: b})
		case "in":
			found[last].in = append(found[last].in, b)
		case "out":
			found[last].out = append(found[last].out, b)
		case "stops":
			found[last].stops = b
		}
	}
	return slices.DeleteFunc(found, func(e example) bool { return len(e.in) == 0 })
}

func TestValues(t *testing.T) {
	var row block
	for _, b := range blocks(t, languagePage) {
		switch b.kind {
		case "row":
			row = b
		case "values":
			t.Run(b.String(), func(t *testing.T) {
				t.Parallel()
				checkValues(t, row, b)
			})
		}
	}
}

// checkValues selects all of the block's expressions in one run.
func checkValues(t *testing.T, row, values block) {
	var columns, expressions, want []string
	for line := range strings.Lines(values.text) {
		left, right, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("%s: expected EXPRESSION => JSON, found %s", values, line)
		}
		expressions = append(expressions, strings.TrimSpace(left))
		columns = append(columns, fmt.Sprintf("v%d: %s", len(columns), left))
		want = append(want, strings.TrimSpace(right))
	}
	program := `from nats "orders.created" select { ` + strings.Join(columns, ", ") + ` } to nats stream "OUT" subject "out"`
	server, err := run(t, program, []block{{kind: "in", argument: "orders.created", text: row.text}})
	if err != nil {
		t.Fatal(err)
	}
	written := stored(t, server, "out")
	if len(written) != 1 {
		t.Fatalf("expected one message, found %d", len(written))
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(written[0]), &got); err != nil {
		t.Fatal(err)
	}
	for i, text := range expressions {
		if value := string(got[fmt.Sprintf("v%d", i)]); value != want[i] {
			t.Errorf("%s: %s is %s, expected %s", values, text, value, want[i])
		}
	}
}
