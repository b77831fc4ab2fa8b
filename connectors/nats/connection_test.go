package nats

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// tryOpen opens a connection that may fail.
func tryOpen(t *testing.T, url string, given connectors.Settings) error {
	t.Helper()
	s := complete(connectionFields, given)
	s["url"] = []string{url}
	c, err := open(t.Context(), "main", s, func(connectors.Notice) {})
	if err == nil {
		c.Close()
	}
	return err
}

func expectEnvironment(t *testing.T, what string, err error, text string) {
	t.Helper()
	check(t, what, err, text)
	if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Class != connectors.Environment || e.Help == "" {
		t.Errorf("%s: expected an environment error with help, found %#v", what, err)
	}
	if err != nil && strings.Contains(err.Error(), "hush") {
		t.Errorf("%s: the secret shows in %q", what, err)
	}
}

func TestAuthentication(t *testing.T) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := pair.PublicKey()
	seed, _ := pair.Seed()
	other, _ := nkeys.CreateUser()
	otherSeed, _ := other.Seed()
	given := connectors.Given
	for _, v := range []struct {
		name   string
		server func(*server.Options)
		good   connectors.Settings
		bad    []connectors.Settings
	}{
		{"user_password", func(o *server.Options) { o.Username, o.Password = "me", "hush" },
			connectors.Settings{"auth_mode": "user_password", "username": "me", "password": given("hush")},
			[]connectors.Settings{nil, {"auth_mode": "user_password", "username": "me", "password": given("no")}}},
		{"token", func(o *server.Options) { o.Authorization = "hush" },
			connectors.Settings{"auth_mode": "token", "token": given("hush")},
			[]connectors.Settings{nil, {"auth_mode": "token", "token": given("no")}}},
		{"nkey", func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: public}} },
			connectors.Settings{"auth_mode": "nkey", "nkey_seed": given(string(seed))},
			[]connectors.Settings{nil, {"auth_mode": "nkey", "nkey_seed": given(string(otherSeed))}}},
	} {
		t.Run(v.name, func(t *testing.T) {
			url := startServer(t, v.server)
			if err := tryOpen(t, url, v.good); err != nil {
				t.Errorf("expected to get in, found %v", err)
			}
			for _, bad := range v.bad {
				expectEnvironment(t, "wrong credentials", tryOpen(t, url, bad), "connecting to the NATS server")
			}
		})
	}
}

func TestSecretsThatCannotBeRead(t *testing.T) {
	url := startEmbedded(t)
	missing := filepath.Join(t.TempDir(), "missing")
	rubbish := filepath.Join(t.TempDir(), "rubbish")
	if err := os.WriteFile(rubbish, []byte("no credentials"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		name  string
		given connectors.Settings
		err   string
	}{
		{"variable", connectors.Settings{"auth_mode": "token", "token": connectors.Secret{From: "env", Name: "FLOW_TEST_NOT_SET"}}, "FLOW_TEST_NOT_SET is not set"},
		{"file", connectors.Settings{"auth_mode": "token", "token": connectors.Secret{From: "file", Name: missing}}, "reading a secret"},
		{"nkey", connectors.Settings{"auth_mode": "nkey", "nkey_seed": connectors.Given("hush")}, "the nkey seed cannot be used"},
		{"creds", connectors.Settings{"auth_mode": "creds", "creds": missing}, "missing"},
		{"authority", connectors.Settings{"tls_ca": missing}, "missing"},
	} {
		t.Run(v.name, func(t *testing.T) {
			err := tryOpen(t, url, v.given)
			check(t, v.name, err, v.err)
			if connectors.ClassOf(err) != connectors.Environment {
				t.Errorf("expected an environment error, found class %d: %v", connectors.ClassOf(err), err)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	p, url := startProxy(t, "nats://127.0.0.1:1")
	p.close()
	err := tryOpen(t, url, nil)
	check(t, "no server", err, "connecting to the NATS server "+url)
	if e, ok := errors.AsType[*connectors.Error](err); !ok || e.Class != connectors.Disconnected || !strings.Contains(e.Help, "--embedded") {
		t.Errorf("expected a lost connection with help, found %#v", err)
	}
}

func TestAServerWithoutTLS(t *testing.T) {
	url := strings.Replace(startEmbedded(t), "nats://", "tls://", 1)
	expectEnvironment(t, "tls", tryOpen(t, url, nil), "connecting to the NATS server")
}

func TestJetStreamIsOff(t *testing.T) {
	url := startServer(t, func(o *server.Options) { o.JetStream = false })
	if err := tryOpen(t, url, nil); err == nil || !strings.Contains(err.Error(), "JetStream is not enabled on the server") || connectors.ClassOf(err) != connectors.Transient {
		t.Errorf("server: %v, class %v; a server that starts answers so for a moment", err, connectors.ClassOf(err))
	}
	url = startServer(t, func(o *server.Options) {
		with, without := server.NewAccount("WITH"), server.NewAccount("WITHOUT")
		o.Accounts = []*server.Account{with, without}
		o.Users = []*server.User{{Username: "u", Password: "p", Account: without}}
	})
	expectEnvironment(t, "account", tryOpen(t, url, connectors.Settings{"auth_mode": "user_password", "username": "u", "password": connectors.Given("p")}), "JetStream is not enabled for the account")
}

func TestADeniedRequestIsNamedWithoutWaiting(t *testing.T) {
	url := startServer(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "info", Password: "p", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$JS.API.INFO"}}}},
			{Username: "list", Password: "p", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.LIST"}}}},
		}
	})
	as := func(user string) connectors.Settings {
		return connectors.Settings{"auth_mode": "user_password", "username": user, "password": connectors.Given("p")}
	}
	expectEnvironment(t, "account info", tryOpen(t, url, as("info")), `permission denied: the user may not publish to "$JS.API.INFO"`)
	c, _ := link(t, url, as("list"))
	_, err := c.OpenSource(t.Context(), someFlow, sourcesOf(nil, "orders.>"), connectors.SourceOptions{})
	expectEnvironment(t, "list", err, `permission denied: the user may not publish to "$JS.API.STREAM.LIST"`)
}
