// Package natsflags says where the default NATS connection goes: flags, the
// environment and the contexts of the nats command line, in its words. The commands
// share it, so that all of them find the same server.
//
// It imports the contracts of connectors only. What always holds: credentials leave
// it as secrets or as names of files, never as part of an address.
package natsflags

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/spf13/pflag"
)

// Flags say where the default NATS connection goes, in the words of the nats
// command line: flags first, then the environment, then its selected context. The
// zero value is what nobody set.
type Flags struct {
	Server, Context string

	creds, nkey, user, password, token string
	cert, key, ca, domain              string
	tlsFirst                           bool
}

// Add declares the flags.
func (n *Flags) Add(flags *pflag.FlagSet) {
	flags.StringVarP(&n.Server, "server", "s", "", "NATS server `URL`s (NATS_URL)")
	flags.StringVar(&n.Context, "context", "", "context of the nats command line, by `NAME` (NATS_CONTEXT)")
	flags.StringVar(&n.creds, "creds", "", "user credentials `FILE` (NATS_CREDS)")
	flags.StringVar(&n.nkey, "nkey", "", "`FILE` with a user nkey seed (NATS_NKEY)")
	flags.StringVar(&n.user, "user", "", "`USER` name, or a token if there is no password (NATS_USER)")
	flags.StringVar(&n.password, "password", "", "`PASSWORD` of the user (NATS_PASSWORD)")
	flags.StringVar(&n.token, "token", "", "authentication `TOKEN` (NATS_TOKEN)")
	flags.StringVar(&n.cert, "tlscert", "", "client certificate `FILE` (NATS_CERT)")
	flags.StringVar(&n.key, "tlskey", "", "client key `FILE` (NATS_KEY)")
	flags.StringVar(&n.ca, "tlsca", "", "`FILE` with the authorities of the server's certificate (NATS_CA)")
	flags.BoolVar(&n.tlsFirst, "tlsfirst", false, "start TLS before the server's greeting")
	flags.StringVar(&n.domain, "js-domain", "", "JetStream `DOMAIN`")
}

// variables are the environment's names for the flags.
func (n *Flags) variables() map[string]*string {
	return map[string]*string{
		"NATS_URL": &n.Server, "NATS_CONTEXT": &n.Context, "NATS_CREDS": &n.creds, "NATS_NKEY": &n.nkey, "NATS_USER": &n.user,
		"NATS_PASSWORD": &n.password, "NATS_TOKEN": &n.token, "NATS_CERT": &n.cert, "NATS_KEY": &n.key, "NATS_CA": &n.ca,
	}
}

// Settings are those of the default connection, and where they come from. An error
// means bad usage.
func (n Flags) Settings() (s connectors.Settings, origin string, err error) {
	origin = "flags"
	given := n.Server != "" || n.Context != ""
	for name, field := range n.variables() {
		// A server given by a flag must not be mixed with a context of the
		// environment, nor the other way round.
		if v := os.Getenv(name); v != "" && *field == "" && (!given || name != "NATS_URL" && name != "NATS_CONTEXT") {
			*field = v
			if !given && (name == "NATS_URL" || name == "NATS_CONTEXT") {
				origin = "environment"
			}
		}
	}
	if n.token != "" && n.user != "" {
		return nil, "", errors.New("a token and a user both say who connects: keep one")
	}
	if n.Server != "" && n.Context != "" {
		return nil, "", fmt.Errorf("a server and a context both say where NATS is: keep one of %q and %q", n.Server, n.Context)
	}
	if n.Server == "" && n.Context == "" {
		if n.Context, origin = selectedContext(), "selected context"; n.Context == "" {
			origin = "default"
		}
	}
	s = connectors.Settings{}
	if n.Server != "" {
		if err := n.takeURL(s); err != nil {
			return nil, "", err
		}
	}
	n.fill(s)
	return s, origin, nil
}

// takeURL moves credentials out of the address.
func (n *Flags) takeURL(s connectors.Settings) error {
	var plain []string
	for part := range strings.SplitSeq(n.Server, ",") {
		part = strings.TrimSpace(part)
		if !strings.Contains(part, "://") {
			part = "nats://" + part
		}
		u, err := url.Parse(part)
		if err == nil && u.Scheme != "" && !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme) {
			return fmt.Errorf("a server address begins with nats://, tls://, ws:// or wss://, found %s://", u.Scheme)
		}
		if err != nil || u.Host == "" {
			return errors.New("a server address is such as nats://127.0.0.1:4222 or tls://host:4222, and this one cannot be read")
		}
		if u.User != nil {
			if password, ok := u.User.Password(); ok {
				n.user, n.password = u.User.Username(), password
			} else {
				n.token = u.User.Username()
			}
			u.User = nil
		}
		plain = append(plain, u.String())
	}
	s["url"] = plain
	return nil
}

func (n *Flags) fill(s connectors.Settings) {
	text := map[string]string{"context": n.Context, "creds": n.creds, "tls_cert": n.cert, "tls_key": n.key, "tls_ca": n.ca, "domain": n.domain}
	for key, v := range text {
		if v != "" {
			s[key] = v
		}
	}
	if n.tlsFirst {
		s["tls_first"] = true
	}
	switch {
	case n.creds != "":
		s["auth_mode"] = "creds"
	case n.nkey != "":
		s["auth_mode"], s["nkey_seed"] = "nkey", connectors.Secret{From: "file", Name: n.nkey}
	case n.user != "" && n.password != "":
		s["auth_mode"], s["username"], s["password"] = "user_password", n.user, connectors.Given(n.password)
	case n.token != "":
		s["auth_mode"], s["token"] = "token", connectors.Given(n.token)
	case n.user != "":
		s["auth_mode"], s["token"] = "token", connectors.Given(n.user)
	}
}

// selectedContext is the nats command line's; empty if none is selected.
func selectedContext() string {
	config := os.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		config = filepath.Join(home, ".config")
	}
	name, err := os.ReadFile(filepath.Join(config, "nats", "context.txt"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}

// Environment is what another command has to be given, NAME=value each, besides this
// process's own environment, and as further flags, to find the same server. Secrets are
// in the former, since arguments are seen by everyone.
func (n Flags) Environment() (variables, flags []string) {
	given := n.Server != "" || n.Context != ""
	for name, field := range n.variables() {
		if *field != "" || given && (name == "NATS_URL" || name == "NATS_CONTEXT") {
			variables = append(variables, name+"="+*field)
		}
	}
	if n.tlsFirst {
		flags = append(flags, "--tlsfirst")
	}
	if n.domain != "" {
		flags = append(flags, "--js-domain="+n.domain)
	}
	return variables, flags
}
