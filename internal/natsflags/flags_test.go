package natsflags

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

func TestEnvironmentFindsTheSameServer(t *testing.T) {
	t.Setenv("NATS_CONTEXT", "other")
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	var n Flags
	n.Add(flags)
	if err := flags.Parse([]string{"--server", "nats://127.0.0.1:1", "--password", "secret", "--user", "me", "--tlsfirst", "--js-domain", "hub"}); err != nil {
		t.Fatal(err)
	}
	variables, more := n.Environment()
	for _, want := range []string{"NATS_URL=nats://127.0.0.1:1", "NATS_CONTEXT=", "NATS_PASSWORD=secret", "NATS_USER=me"} {
		if !slices.Contains(variables, want) {
			t.Errorf("%s is missing in %q", want, variables)
		}
	}
	if want := []string{"--tlsfirst", "--js-domain=hub"}; !slices.Equal(more, want) {
		t.Errorf("expected the flags %q, found %q", want, more)
	}
}
