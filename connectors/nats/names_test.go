package nats

import (
	"testing"

	"github.com/flowlang/flow/connectors"
)

// A namespace is any name, and a flow is one that does not begin with a hyphen.
func TestConsumerNamesDiffer(t *testing.T) {
	seen := map[string]connectors.Identity{}
	parts := []string{"a", "b", "a-b", "a--b", "a-", "b-a", "a_b", "_", "default", "a-b-c"}
	namespaces := append([]string{"-", "-a", "--a"}, parts...)
	for _, namespace := range namespaces {
		for _, flow := range parts {
			id := connectors.Identity{Namespace: namespace, Flow: flow}
			name := consumerName(id)
			if other, twice := seen[name]; twice {
				t.Errorf("%s and %s are both %s", id, other, name)
			}
			seen[name] = id
			if err := checkStreamName(name); err != nil {
				t.Errorf("%s is no consumer name: %v", name, err)
			}
		}
	}
}
