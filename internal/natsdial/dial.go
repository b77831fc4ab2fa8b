// Package natsdial connects to NATS as the settings of a connection say: address or
// context, credentials, TLS. The NATS connector and the viewer share it.
//
// It imports the contracts of connectors only. What always holds: the client
// reconnects without a limit of tries.
package natsdial

import (
	"crypto/tls"
	"maps"
	"strings"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/synadia-io/orbit.go/natscontext"
)

// Dial connects with the settings and further options, which come last. It
// returns the settings with what a context of the nats command line adds to them.
func Dial(s connectors.Settings, more ...natsgo.Option) (*natsgo.Conn, connectors.Settings, error) {
	all, err := options(s)
	if err != nil {
		return nil, s, err
	}
	all = append(all, more...)
	if s.Has("context") {
		nc, context, err := natscontext.Connect(s.Text("context"), all...)
		return nc, withContext(s, context), err
	}
	nc, err := natsgo.Connect(Address(s), all...)
	return nc, s, err
}

// Address is where a connection without a context goes: the given URLs, or the
// client's default.
func Address(s connectors.Settings) string {
	if where := strings.Join(Servers(s), ","); where != "" {
		return where
	}
	return natsgo.DefaultURL
}

// Servers are the given URLs, one by one.
func Servers(s connectors.Settings) []string {
	var all []string
	for _, text := range s.List("url") {
		for part := range strings.SplitSeq(text, ",") {
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}

// withContext adds where the context says that JetStream's API is.
func withContext(s connectors.Settings, context natscontext.Settings) connectors.Settings {
	s = maps.Clone(s)
	if context.JSDomain != "" && !s.Has("domain") && !s.Has("api_prefix") {
		s["domain"] = context.JSDomain
	}
	if context.JSAPIPrefix != "" && !s.Has("domain") && !s.Has("api_prefix") {
		s["api_prefix"] = context.JSAPIPrefix
	}
	return s
}

func options(s connectors.Settings) ([]natsgo.Option, error) {
	all := []natsgo.Option{
		natsgo.Name(s.Text("name")),
		natsgo.Timeout(s.Duration("connect_timeout")),
		natsgo.MaxReconnects(-1),
		natsgo.ReconnectWait(250 * time.Millisecond),
		natsgo.ReconnectJitter(250*time.Millisecond, 500*time.Millisecond),
		natsgo.IgnoreAuthErrorAbort(),
	}
	if s.HostsRestricted() {
		all = append(all, restricted(s))
	}
	if prefix := s.Text("inbox_prefix"); prefix != "" {
		all = append(all, natsgo.CustomInboxPrefix(prefix))
	}
	if s.Has("tls_ca") {
		all = append(all, natsgo.RootCAs(s.Text("tls_ca")))
	}
	if s.Has("tls_cert") {
		all = append(all, natsgo.ClientCert(s.Text("tls_cert"), s.Text("tls_key")))
	}
	if s.Bool("tls_first") {
		all = append(all, natsgo.TLSHandshakeFirst(), natsgo.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	auth, err := authOption(s)
	if err != nil {
		return nil, err
	}
	if auth != nil {
		all = append(all, auth)
	}
	return all, nil
}

// authOption authenticates by the settings' mode; nil is none.
func authOption(s connectors.Settings) (natsgo.Option, error) {
	secrets := map[string]string{}
	for _, key := range []string{"password", "jwt", "nkey_seed", "token"} {
		text, err := s.Reveal(key)
		if err != nil {
			return nil, err
		}
		secrets[key] = text
	}
	switch s.Text("auth_mode") {
	case "user_password":
		return natsgo.UserInfo(s.Text("username"), secrets["password"]), nil
	case "token":
		return natsgo.Token(secrets["token"]), nil
	case "jwt":
		return natsgo.UserJWTAndSeed(secrets["jwt"], secrets["nkey_seed"]), nil
	case "creds":
		return natsgo.UserCredentials(s.Text("creds")), nil
	case "nkey":
		return nkeyOption(secrets["nkey_seed"])
	}
	return nil, nil
}

func nkeyOption(seed string) (natsgo.Option, error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return nil, connectors.Errorf(connectors.Environment, "the nkey seed cannot be used: %w", err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		return nil, connectors.Errorf(connectors.Environment, "the nkey seed cannot be used: %w", err)
	}
	return natsgo.Nkey(public, pair.Sign), nil
}
