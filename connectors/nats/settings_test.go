package nats

import (
	"errors"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
)

func TestCheckConnection(t *testing.T) {
	secret := connectors.Given("hush")
	for _, c := range []struct {
		name     string
		given    connectors.Settings
		key, err string
	}{
		{"nothing", nil, "", ""},
		{"one server", connectors.Settings{"url": []string{"nats://a:4222"}}, "", ""},
		{"several servers", connectors.Settings{"url": []string{"nats://a:4222,tls://b", "c:4222"}}, "", ""},
		{"no scheme", connectors.Settings{"url": []string{"localhost"}}, "", ""},
		{"other scheme", connectors.Settings{"url": []string{"http://a"}}, "url", "begins with http://"},
		{"no host", connectors.Settings{"url": []string{"nats://"}}, "url", "has no host"},
		{"empty among several", connectors.Settings{"url": []string{"nats://a,"}}, "url", "has no host"},
		{"unreadable", connectors.Settings{"url": []string{"nats://a:b:c%"}}, "url", "cannot be read"},
		{"credentials inside", connectors.Settings{"url": []string{"nats://me:hush@a"}}, "url", `"nats://...@a" holds credentials`},
		{"context and url", connectors.Settings{"context": "x", "url": []string{"nats://a"}}, "context", "both say where the server is"},
		{"certificate alone", connectors.Settings{"tls_cert": "c"}, "tls_cert", "go together"},
		{"key alone", connectors.Settings{"tls_key": "k"}, "tls_key", "go together"},
		{"domain and prefix", connectors.Settings{"domain": "hub", "api_prefix": "$JS.hub.API"}, "api_prefix", "both say"},
		{"inbox wildcard", connectors.Settings{"inbox_prefix": "_INBOX.>"}, "inbox_prefix", "wildcard"},
		{"ledger subject blank", connectors.Settings{"ledger_subject": "a b"}, "ledger_subject", "white space"},

		{"user_password", connectors.Settings{"auth_mode": "user_password", "username": "u", "password": secret}, "", ""},
		{"jwt", connectors.Settings{"auth_mode": "jwt", "jwt": secret, "nkey_seed": secret}, "", ""},
		{"token", connectors.Settings{"auth_mode": "token", "token": secret}, "", ""},
		{"nkey", connectors.Settings{"auth_mode": "nkey", "nkey_seed": secret}, "", ""},
		{"creds", connectors.Settings{"auth_mode": "creds", "creds": "file"}, "", ""},
		{"user without password", connectors.Settings{"auth_mode": "user_password", "username": "u"}, "auth_mode", "needs `password`"},
		{"password without user", connectors.Settings{"auth_mode": "user_password", "password": secret}, "auth_mode", "needs `username`"},
		{"jwt without seed", connectors.Settings{"auth_mode": "jwt", "jwt": secret}, "auth_mode", "needs `nkey_seed`"},
		{"mode alone", connectors.Settings{"auth_mode": "creds"}, "auth_mode", "needs `creds`"},
		{"fields of two modes", connectors.Settings{"auth_mode": "token", "token": secret, "username": "u"}, "username", "is no field of `auth_mode token`"},
		{"nkey with jwt", connectors.Settings{"auth_mode": "nkey", "nkey_seed": secret, "jwt": secret}, "jwt", "is no field of `auth_mode nkey`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkRefusal(t, checkConnection(complete(connectionFields, c.given)), c.key, c.err)
		})
	}
}

func TestCredentialsNeedTheirMode(t *testing.T) {
	for key, mode := range map[string]string{"username": "user_password", "password": "user_password", "jwt": "jwt", "token": "token", "creds": "creds"} {
		err := checkConnection(complete(connectionFields, connectors.Settings{key: "x"}))
		checkRefusal(t, err, key, "without an `auth_mode`")
		if e, ok := errors.AsType[*connectors.Error](err); ok && e.Help != "write `auth_mode "+mode+"` beside it" {
			t.Errorf("%s: found the help %q", key, e.Help)
		}
	}
}

// checkRefusal expects a refusal about a key, or none if text is empty.
func checkRefusal(t *testing.T, err error, key, text string) {
	t.Helper()
	if text == "" {
		if err != nil {
			t.Errorf("expected no error, found %v", err)
		}
		return
	}
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || !strings.Contains(err.Error(), text) || e.Key != key || e.Class != connectors.Refused {
		t.Errorf("expected a refusal of %q with %q, found %#v", key, text, err)
	}
	if err != nil && strings.Contains(err.Error()+e.Help, "hush") {
		t.Errorf("the secret shows in %q", err)
	}
}

func TestCheckSources(t *testing.T) {
	for _, c := range []struct {
		selects []string
		spec    int
		err     string
	}{
		{[]string{"orders.>"}, 0, ""},
		{[]string{"orders.created", "orders.paid"}, 0, ""},
		{[]string{"orders.*", "orders.a.b"}, 0, ""},
		{[]string{"orders.>", "orders.paid"}, 1, `"orders.>" and "orders.paid" overlap`},
		{[]string{"a", "b", "a"}, 2, "overlap"},
		{[]string{"a", "b c"}, 1, "white space"},
		{[]string{""}, 0, "does not say what to read"},
	} {
		var specs []connectors.SourceSpec
		for _, s := range c.selects {
			specs = append(specs, connectors.SourceSpec{Select: s})
		}
		err := checkSources(specs)
		checkRefusal(t, err, "", c.err)
		if e, ok := errors.AsType[*connectors.Error](err); ok && (e.Role != connectors.SourceRole || e.Spec != c.spec) {
			t.Errorf("%q: expected source %d, found %d of role %d", c.selects, c.spec, e.Spec, e.Role)
		}
	}
}

// sinkSpec is a sink for resources that read the subjects of the same place.
func sinkSpec(stream, subject string, resources, selects []string) connectors.SinkSpec {
	return connectors.SinkSpec{Connection: "main", Resources: resources, Selects: selects, Settings: complete(sinkFields, connectors.Settings{
		"stream": connectors.ParseTemplate(stream), "subject": connectors.ParseTemplate(subject)})}
}

func TestCheckSink(t *testing.T) {
	for _, c := range []struct{ stream, subject, resource, key, err string }{
		{"<resource>", "<resource>.v1", "orders", "", ""},
		{"ORDERS_V1", "v1.<resource>", "orders", "", ""},
		{"X", "x.<subject>", "orders", "", ""},
		{"X", "x.<1>", "orders", "", ""},
		{"X", "x.<2>", "orders", "subject", "wildcard 2 of the source matched"},
		{"<1>", "x", "orders", "", ""},
		{"<2>", "x", "orders", "stream", "wildcard 2"},
		{"X.Y", "x", "orders", "stream", `holds '.'`},
		{"<resource>", "x", "or.ders", "stream", `"<resource>" became "or.ders"`},
		{"X", "<resource>.>", "orders", "subject", `"<resource>.>" became "orders.>"`},
		{"X", "x.*", "orders", "subject", "wildcard *"},
		{"X", "x..y", "orders", "subject", "empty token"},
		{"X", "x.<resource>", "", "subject", "empty token"},
		{"", "x", "orders", "stream", "is empty"},
	} {
		err := checkSink(sinkSpec(c.stream, c.subject, []string{c.resource}, []string{"orders.*"}))
		checkRefusal(t, err, c.key, c.err)
	}
}

func TestCheckForwardedHeaders(t *testing.T) {
	for name, want := range map[string]string{
		"X-Tenant": "", "traceparent": "", "Nats-Msg-Id": "controls the server", "nats-rollup": "controls the server",
		"Content-Type": "writes itself", "flow-operation": "writes itself", "Flow-Event-Id": "writes itself",
		"": "is no header name", "a b": "is no header name", "a:b": "is no header name", "a\r\nb": "is no header name", "ä": "is no header name",
	} {
		spec := sinkSpec("X", "x", []string{"orders"}, []string{"orders"})
		spec.Settings["headers"] = []string{name}
		checkRefusal(t, checkSink(spec), "headers", want)
	}
}

func TestCheckLoop(t *testing.T) {
	for _, c := range []struct {
		source, subject string
		loop            bool
	}{
		{"orders.>", "<resource>.v1", false}, // whether a stream captures it is seen only on the server
		{"*.created", "x.created", true},
		{"*.created", "x.paid", false},
		{">", "anything", true},
		{"*.>", "x.<1>", true},
		{"*", "v1.<resource>", false},
	} {
		err := checkLoop([]connectors.SourceSpec{{Select: c.source}}, sinkSpec("X", c.subject, []string{"orders"}, []string{c.source}))
		want := ""
		if c.loop {
			want = "would read what it writes"
		}
		checkRefusal(t, err, "subject", want)
	}
}
