package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flowlang/flow/lang"
)

// hostile is text that clears a screen, sets its title, moves the cursor, turns
// the direction of reading, and pretends that a line begins.
const hostile = "\x1b[2J\x1b]0;owned\x07\r\x08\u009b31m\u202e\u200b\x7f"

// ran is what a run of flowc in this process gave.
type ran struct {
	status    int
	out, errs string
}

func flowc(t *testing.T, in string, args ...string) ran {
	t.Helper()
	var out, errs output
	r := ran{status: Main(args, strings.NewReader(in), &out, &errs)}
	r.out, r.errs = out.String(), errs.String()
	return r
}

// inert checks that the output cannot act on a terminal, and that it shows what
// was escaped.
func (r ran) inert(t *testing.T, shows string) {
	t.Helper()
	for name, text := range map[string]string{"stdout": r.out, "stderr": r.errs} {
		if lang.Printable(text) != text {
			t.Errorf("%s would act on a terminal: %q", name, text)
		}
	}
	if !strings.Contains(r.out+r.errs, shows) {
		t.Errorf("expected %q to be shown, found\n%s%s", shows, r.out, r.errs)
	}
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const terminalFlow = `from nats "orders.>" epoch 1000/200ms to nats stream "OUT" subject "out.v1"`

func TestFileNameIsInert(t *testing.T) {
	name := "a" + hostile + ".flow"
	good, bad := writeFile(t, name, terminalFlow), writeFile(t, name, "from nats")
	for _, args := range [][]string{
		{"check", good}, {"plan", good}, {"check", bad}, {"fmt", bad}, {"fmt", "--check", good},
		{"check", "nosuch" + hostile}, {"run", "--embedded", "--seed", "nosuch" + hostile, good},
	} {
		r := flowc(t, "", args...)
		if r.status == statusDone {
			t.Errorf("%q: a file of this name passes", args)
		}
		r.inert(t, `\x1b[2J`)
	}
}

func TestArgumentsAreInert(t *testing.T) {
	for _, args := range [][]string{
		{hostile}, {"check", "--" + hostile}, {"check", "--color", hostile, "-"}, {"check", "--namespace", hostile, "-"},
		{"run", "--until", hostile, "-"}, {"run", "--log-format", hostile, "-"}, {"run", "--grace", hostile, "-"},
	} {
		r := flowc(t, terminalFlow, args...)
		if r.status != statusUsage {
			t.Errorf("%q: expected status %d, found %d", args, statusUsage, r.status)
		}
		r.inert(t, "x1b[2J")
	}
}

func TestFlowTextIsInert(t *testing.T) {
	quoted, err := json.Marshal("out." + hostile)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"from nats " + hostile,
		`from nats "orders.` + hostile + `"`,
		"/* " + hostile + " */ from nats",
		`from nats "orders.>" to nats stream "OUT" subject ` + string(quoted),
		`from nats "orders.>" to nats stream ` + string(quoted) + ` subject "out.v1"`,
		`from nats "orders.>" to nats stream "OUT" subject "out.<` + strings.Trim(string(quoted), `"`) + `>"`,
	} {
		r := flowc(t, text, "check", "-")
		if r.status != statusUsage {
			t.Errorf("%q: expected status %d, found %d", text, statusUsage, r.status)
		}
		r.inert(t, "1b[2J")
	}
}

// seedLine is a line of a seed file.
func seedLine(t *testing.T, subject string, data any) string {
	t.Helper()
	line, err := json.Marshal(map[string]any{"subject": subject, "data": data})
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// seeded writes terminalFlow, and lines of a seed for it.
func seeded(t *testing.T, lines string) (flow, seed string) {
	t.Helper()
	return writeFile(t, "orders.flow", terminalFlow), writeFile(t, "seed.jsonl", lines)
}

func TestDataIsInert(t *testing.T) {
	// A carriage return would end the subject on the wire, and the server does not
	// find messages by a subject that holds 0x7f.
	subject := "orders." + strings.NewReplacer("\r", "", "\x7f", "").Replace(hostile)
	for _, format := range []string{"text", "json"} {
		for name, c := range map[string]struct {
			seed   string
			status int
			shows  string
		}{
			"a value":               {seedLine(t, "orders.a", map[string]any{"n": hostile}), statusDone, `001b[2J`},
			"a member's name":       {seedLine(t, "orders.a", map[string]any{hostile: 1}), statusDone, `001b[2J`},
			"a subject":             {seedLine(t, subject, map[string]any{"n": 1}), statusDone, `001b[2J`},
			"a value in an error":   {seedLine(t, "orders.a", map[string]any{"n": 1}) + seedLine(t, "orders.a", map[string]any{"n": hostile}), statusFailed, "stream SEED, sequence 2"},
			"a member in an error":  {seedLine(t, "orders.a", map[string]any{"n": 1}) + seedLine(t, "orders.a", map[string]any{hostile: 1}), statusFailed, `x1b[2J`},
			"a subject in an error": {seedLine(t, "orders.a", map[string]any{"n": 1}) + seedLine(t, subject, map[string]any{"m": 1}), statusFailed, `x1b[2J`},
			"raw bytes":             {`{"subject":"orders.a","data_base64":"G1sySg=="}` + "\n", statusDone, "G1sySg=="},
		} {
			t.Run(name+" with logs as "+format, func(t *testing.T) {
				flow, seed := seeded(t, c.seed)
				r := flowc(t, "", "run", "--embedded", "--log-format", format, "--seed", seed, "--until", "caught-up", flow)
				if r.status != c.status {
					t.Errorf("expected status %d, found %d\n%s", c.status, r.status, r.errs)
				}
				r.inert(t, c.shows)
			})
		}
	}
}
