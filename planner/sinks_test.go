package planner_test

import (
	"testing"

	"github.com/flowlang/flow/lang"
)

func TestSameSinkBySpelling(t *testing.T) {
	for _, text := range []string{
		`from nats "orders.>" to nats stream "{resource}" subject "{{resource}}.v1" to nats stream "<resource>" subject "<resource>.v1"`,
		`from nats "orders.>" to nats stream "orders" subject "orders.v1" to nats stream "<resource>" subject "<resource>.v1"`,
	} {
		if _, found := compile(t, &lang.Source{Name: "orders.flow", Text: text}); !found.HasErrors() {
			t.Errorf("both sinks write to one subject with equal message ids, and one's messages are dropped as duplicates:\n%s", text)
		}
	}
}

func TestEmptyValues(t *testing.T) {
	for _, options := range []string{
		`auth_mode creds creds ""`,
		`auth_mode user_password username "" password env "NATS_PASSWORD"`,
		`context ""`,
		`url "tls://w:4222" tls_ca ""`,
		`url "tls://w:4222" tls_cert "" tls_key ""`,
	} {
		text := "connection w nats " + options + "\nfrom w \"orders.>\" to w stream \"OUT\" subject \"out.v1\""
		if _, found := compile(t, &lang.Source{Name: "orders.flow", Text: text}); !found.HasErrors() {
			t.Errorf("an empty value passes: %s", options)
		}
	}
}
