package planner_test

import (
	"slices"
	"testing"
)

const plainFlow = `from nats "orders.>" to nats stream "OUT" subject "out.v1"`

func TestFingerprintKeepsItsValue(t *testing.T) {
	for what, text := range map[string]string{
		"formatting":             "// a comment\nflow orders\n  from nats `orders.>`\n  to nats subject \"out.v1\"\n    stream \"OUT\"",
		"language":               `language 1 ` + plainFlow,
		"the default resource":   `from nats "orders.>" as orders to nats stream "OUT" subject "out.v1"`,
		"bounds":                 `from nats "orders.>" epoch 7/3s/1MiB max_age 2s to nats stream "OUT" subject "out.v1"`,
		"ack wait":               `from nats "orders.>" ack_wait 5s to nats stream "OUT" subject "out.v1"`,
		"publish timeout":        plainFlow + ` publish_timeout 1m`,
		"window":                 plainFlow + ` max_in_flight 1/1KiB`,
		"creation of the stream": plainFlow + ` create_stream false`,
		"a default written out":  plainFlow + ` envelope body`,
		"retries":                plainFlow + ` on error retry 3 backoff 1s..2s`,
		"stop":                   plainFlow + ` on error stop`,
	} {
		if got, want := planned(t, text).Fingerprint, planned(t, plainFlow).Fingerprint; got != want {
			t.Errorf("%s changed the fingerprint from %s to %s", what, want, got)
		}
	}
}

func TestFingerprintIgnoresAddressAndSecret(t *testing.T) {
	flow := "\nfrom w \"orders.>\" to w stream \"OUT\" subject \"out.v1\""
	before := planned(t, `connection w nats url "nats://one:4222"`+flow).Fingerprint
	for what, text := range map[string]string{
		"address":         `connection w nats url ["nats://two:4222", "nats://three:4222"]`,
		"credentials":     `connection w nats url "nats://one:4222" auth_mode token token env "TOKEN"`,
		"connect timeout": `connection w nats url "nats://one:4222" connect_timeout 1m`,
	} {
		if got := planned(t, text+flow).Fingerprint; got != before {
			t.Errorf("%s changed the fingerprint from %s to %s", what, before, got)
		}
	}
}

func TestFingerprintKeepsItsValueOverLayout(t *testing.T) {
	const head, tail = `from nats "orders.>" where `, ` to nats stream "OUT" subject "out.v1"`
	before := planned(t, head+`amount > 1 and country == "CH // a"`+tail)
	for what, text := range map[string]string{
		"spaces and lines": "amount  >  1\n  and country == \"CH // a\"",
		"comments":         "amount > 1 // big\n and /* and Swiss */ country == \"CH // a\"",
	} {
		after := planned(t, head+text+tail)
		if after.Fingerprint != before.Fingerprint {
			t.Errorf("%s changed the fingerprint", what)
		}
		if !slices.Equal(after.Options(), before.Options()) {
			t.Errorf("%s changed the options from %q to %q", what, before.Options(), after.Options())
		}
	}
	for _, text := range []string{`amount > 1 and country == "CH  // a"`, `amount > 1 and country == "CH"`} {
		if planned(t, head+text+tail).Fingerprint == before.Fingerprint {
			t.Errorf("%s has the fingerprint of another expression", text)
		}
	}
}

func TestFingerprintTellsMeaningsApart(t *testing.T) {
	seen := map[string]string{}
	for what, text := range map[string]string{
		"plain":                plainFlow,
		"source subject":       `from nats "orders.*" to nats stream "OUT" subject "out.v1"`,
		"resource":             `from nats "orders.>" as o to nats stream "OUT" subject "out.v1"`,
		"a second source":      `from nats "orders.>", nats "stock.>" to nats stream "OUT" subject "out.v1"`,
		"sources in turn":      `from nats "stock.>", nats "orders.>" to nats stream "OUT" subject "out.v1"`,
		"stream":               `from nats "orders.>" to nats stream "OUT2" subject "out.v1"`,
		"subject":              `from nats "orders.>" to nats stream "OUT" subject "out.v2"`,
		"template":             `from nats "orders.>" to nats stream "OUT" subject "out.<resource>"`,
		"envelope":             plainFlow + ` envelope headers`,
		"no envelope":          plainFlow + ` envelope none`,
		"headers":              plainFlow + ` headers "X-Tenant"`,
		"other headers":        plainFlow + ` headers ["X-Tenant", "X-Region"]`,
		"a header with commas": plainFlow + ` headers "X-Tenant,X-Region"`,
		"a second sink":        plainFlow + ` to nats stream "OUT" subject "out.v2"`,
		"another connection":   `connection w nats from w "orders.>" to w stream "OUT" subject "out.v1"`,
		"exactly once":         plainFlow + ` exactly once`,
		"a marker":             plainFlow + ` exactly once marker "marks.v1"`,
		"where the sink is":    `connection w nats from nats "orders.>" to w stream "OUT" subject "out.v1"`,
	} {
		f := planned(t, text).Fingerprint
		if other, again := seen[f]; again {
			t.Errorf("%q and %q have the same fingerprint %s", what, other, f)
		}
		seen[f] = what
	}
}

func TestFingerprintIgnoresSpelling(t *testing.T) {
	a := planned(t, `from nats "orders.>" to nats stream "<resource>" subject "<resource>.v1"`).Fingerprint
	b := planned(t, `from nats "orders.>" to nats stream "{resource}" subject "{{resource}}.v1"`).Fingerprint
	if a != b {
		t.Errorf("two spellings of one hole have the fingerprints %s and %s", a, b)
	}
}
