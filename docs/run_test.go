package docs_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/connectors/nats/embedded"
	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// compileProgram plans a program: for a run on the server, or for a check if
// there is none.
func compileProgram(text, server string) (*planner.Plan, lang.Diagnostics) {
	file, found := lang.Parse(&lang.Source{Name: "orders.flow", Text: text})
	if found.HasErrors() {
		return nil, found
	}
	options := planner.Options{Kinds: []connectors.Kind{nats.Kind()}}
	if server != "" {
		options.Defaults = map[string]connectors.Settings{"nats": {"url": []string{server}}}
		options.Params = map[string]string{}
	}
	plan, more := planner.Compile([]*lang.File{file}, options)
	return plan, append(found, more...)
}

// run runs a program's flows over the messages, on a server of its own, until one fails.
func run(t *testing.T, program string, in []block) (*embedded.Server, error) {
	t.Helper()
	server, err := embedded.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	if _, err := server.Seed(t.Context(), messages(in)); err != nil {
		t.Fatal(err)
	}
	plan, found := compileProgram(program, server.URL())
	if found.HasErrors() {
		t.Fatal(found)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, flow := range plan.Flows {
		if _, err := exec.Run(ctx, flow, exec.Options{UntilCaughtUp: true}); err != nil {
			return server, err
		}
	}
	return server, nil
}

func messages(in []block) []embedded.SeedMessage {
	var all []embedded.SeedMessage
	for _, b := range in {
		for line := range strings.Lines(b.text) {
			m := embedded.SeedMessage{Subject: b.argument, Data: json.RawMessage(strings.TrimSpace(line))}
			if !json.Valid(m.Data) {
				m.Data, m.Base64 = nil, []byte(strings.TrimSpace(line))
			}
			all = append(all, m)
		}
	}
	return all
}
