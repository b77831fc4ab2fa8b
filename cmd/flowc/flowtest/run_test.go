package flowtest

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// archive writes a test into a folder of its own.
func archive(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "case.txtar")
	write(t, path, text)
	return path
}

func TestPasses(t *testing.T) {
	for name, text := range map[string]string{
		"members in any order, and the envelope only where it is named": `
-- flow --
from nats "orders.>" to nats stream "OUT" subject "out.orders"
-- in.jsonl --
{"subject": "orders.a", "data": {"a": 1, "b": [{"x": 1, "y": "ü"}]}}
{"subject": "orders.b", "data": {"a": 9007199254740993}}
-- out/OUT/out.orders.jsonl --
{"b": [{"y": "\u00fc", "x": 1}], "a": 1}
{"a": 9007199254740993, "b": null, "_flow_sequence": 2, "_flow_stream": "SEED"}
`,
		"nothing is written": `
-- flow --
from nats "orders.>" where false to nats stream "OUT" subject "out.orders"
-- in.jsonl --
{"subject": "orders.a", "data": {"a": 1}}
-- out/OUT/out.orders.jsonl --
`,
		"parameters and environment": `
-- flow --
param name string
connection far nats url "tls://nats.invalid:4222" auth_mode token token env "FAR_TOKEN" domain "far" inbox_prefix "far.inbox"
from far "orders.>" select { name: param.name } to far stream "OUT" subject "out.<param.name>"
-- env --
FAR_TOKEN=x
-- params --
name = ada
-- in.jsonl --
{"subject": "orders.a", "data": {"a": 1}}
-- out/OUT/out.ada.jsonl --
{"name": "ada"}
`,
		"streams of the test's own, one of them the destination": `
-- flow --
from nats "orders.>" to nats stream "ALL" subject "copies.<resource>"
-- streams --
{"name": "ALL", "subjects": ["copies.>"]}

{
  "name": "IN", "subjects": ["orders.>"]
}
-- in.jsonl --
{"subject": "copies.orders", "data": "there before, and no JSON object"}
{"subject": "orders.a", "data": {"a": 1}}
{"subject": "other.b", "data": {"a": 1}}
-- out/ALL/copies.orders.jsonl --
{"a": 1, "_flow_stream": "IN"}
`,
		"an error, by a part of it": `
-- flow --
from nats "orders.>" select { share: 100 % parts } to nats stream "OUT" subject "out.orders"
-- in.jsonl --
{"subject": "orders.a", "data": {"parts": 0}}
-- error --
case.flow:1:38: error[F5002]
`,
		"a missing source": `
-- flow --
from nats "orders.>" to nats stream "OUT" subject "out.orders"
-- in.jsonl --
{"subject": "others.a", "data": {"a": 1}}
-- error --
no stream holds "orders.>"
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := archive(t, text)
			r := Run(t.Context(), path)
			if !r.Passed() {
				t.Fatalf("%v\n%v", r.Bad, r.Failures)
			}
			if err := r.Update(); err != nil || read(t, path) != text {
				t.Errorf("a test that passed was updated (%v): %s", err, read(t, path))
			}
		})
	}
}

// TestEnvironmentIsTheTests runs a flow whose secret only the process has.
func TestEnvironmentIsTheTests(t *testing.T) {
	t.Setenv("FAR_TOKEN", "of the process")
	r := Run(t.Context(), archive(t, `
-- flow --
connection far nats auth_mode token token env "FAR_TOKEN"
from far "orders.>" to far stream "OUT" subject "out.orders"
-- in.jsonl --
{"subject": "orders.a", "data": {"a": 1}}
`))
	const want = "the flow failed\n  the environment variable FAR_TOKEN is not set\n"
	if len(r.Failures) != 1 || r.Failures[0].String() != want {
		t.Errorf("expected %q, found %v", want, r.Failures)
	}
}

func TestStreamThatCannotBeMade(t *testing.T) {
	r := Run(t.Context(), archive(t, `
-- flow --
from nats "orders.>" to nats stream "OUT" subject "out.orders"
-- streams --
{"name": "A", "subjects": ["orders.>"]}
{"name": "B", "subjects": ["orders.a"]}
-- in.jsonl --
{"subject": "orders.a", "data": {"a": 1}}
-- error --
`))
	if len(r.Failures) != 1 || !strings.HasPrefix(r.Failures[0].Title, "the test could not run: making the stream B: ") {
		t.Errorf("expected that stream B cannot be made, found %v", r.Failures)
	}
	if err := r.Update(); err == nil {
		t.Error("a test that could not run was updated")
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("somebody left"))
	paths := []string{archive(t, "-- flow --\nfrom nats \"a.>\" to nats stream \"OUT\" subject \"b\"\n-- in.jsonl --\n{\"subject\": \"a.b\"}\n-- error --\n")}
	RunAll(ctx, paths, func(r *Result) {
		if r.Passed() || r.Update() == nil {
			t.Errorf("an interrupted test is taken for one that ran: %v", r.Failures)
		}
	})
}

func TestResultsComeInOrder(t *testing.T) {
	var paths, got []string
	for range 20 {
		paths = append(paths, filepath.Join(t.TempDir(), "none.txtar"))
	}
	RunAll(t.Context(), paths, func(r *Result) { got = append(got, r.Path) })
	if strings.Join(got, "\n") != strings.Join(paths, "\n") {
		t.Errorf("expected the order %v, found %v", paths, got)
	}
}
