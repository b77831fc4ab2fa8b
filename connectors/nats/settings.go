package nats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/internal/natsdial"
)

// credentials are the fields of each authentication mode, all of them required.
var credentials = map[string][]string{
	"none":          {},
	"user_password": {"username", "password"},
	"jwt":           {"jwt", "nkey_seed"},
	"token":         {"token"},
	"nkey":          {"nkey_seed"},
	"creds":         {"creds"},
}

func authModes() []string { return []string{"none", "user_password", "jwt", "token", "nkey", "creds"} }

// checkConnection judges the settings of a connection against each other.
func checkConnection(s connectors.Settings) error {
	refuse := func(key, format string, args ...any) *connectors.Error {
		return connectors.Errorf(connectors.Refused, format, args...).About(connectors.ConnectionRole, 0, key)
	}
	if s.Has("context") && s.Has("url") {
		return refuse("context", "`context` and `url` both say where the server is").WithHelp("keep one of them")
	}
	for _, server := range natsdial.Servers(s) {
		host, err := checkServer(server)
		if err != nil {
			return refuse("url", "%w", err).WithHelp(`a server is "nats://host:port" or "tls://host:port"`)
		}
		if err := s.AllowHost(host); err != nil {
			return natsdial.HostRefused(host, err).About(connectors.ConnectionRole, 0, "url")
		}
	}
	if s.Has("tls_cert") != s.Has("tls_key") {
		return refuse(present(s, "tls_cert", "tls_key"), "`tls_cert` and `tls_key` go together, and only one is there").WithHelp("give both, or none")
	}
	if s.Has("domain") && s.Has("api_prefix") {
		return refuse("api_prefix", "`domain` and `api_prefix` both say where JetStream's API is").WithHelp("keep one of them")
	}
	for _, key := range []string{"inbox_prefix", "ledger_subject"} {
		if err := checkSubject(s.Text(key), false); s.Has(key) && err != nil {
			return refuse(key, "`%s` is a subject without wildcards: %w", key, err)
		}
	}
	return checkCredentials(s, refuse)
}

func checkCredentials(s connectors.Settings, refuse func(key, format string, args ...any) *connectors.Error) error {
	mode := s.Text("auth_mode")
	wanted := credentials[mode]
	for _, key := range []string{"username", "password", "jwt", "nkey_seed", "token", "creds"} {
		given := s.Has(key)
		switch {
		case given && slices.Contains(wanted, key), !given && !slices.Contains(wanted, key):
		case given && mode == "none":
			return refuse(key, "`%s` is given without an `auth_mode`", key).WithHelp("write `auth_mode %s` beside it", strings.Join(modesOf(key), "` or `auth_mode "))
		case given:
			return refuse(key, "`%s` is no field of `auth_mode %s`", key, mode).WithHelp("it takes exactly %s", strings.Join(wanted, " and "))
		default:
			return refuse("auth_mode", "`auth_mode %s` needs `%s`", mode, key).WithHelp("it takes exactly %s", strings.Join(wanted, " and "))
		}
	}
	return nil
}

// modesOf are the modes that take a field.
func modesOf(key string) []string {
	return slices.DeleteFunc(authModes(), func(mode string) bool { return !slices.Contains(credentials[mode], key) })
}

func present(s connectors.Settings, keys ...string) string {
	for _, key := range keys {
		if s.Has(key) {
			return key
		}
	}
	return keys[0]
}

// checkServer gives the host of a server's address, or says why that is none.
func checkServer(server string) (host string, err error) {
	u, err := natsdial.Parse(server)
	switch {
	case err != nil:
		return "", fmt.Errorf("the server address %q cannot be read", withoutUser(server))
	case !slices.Contains([]string{"nats", "tls", "ws", "wss"}, u.Scheme):
		return "", fmt.Errorf("the server address %q begins with %s://", withoutUser(server), u.Scheme)
	case u.Hostname() == "":
		return "", fmt.Errorf("the server address %q has no host", withoutUser(server))
	case u.User != nil:
		return "", fmt.Errorf("the server address %q holds credentials, which belong into settings of their own, such as `username` and `password`", withoutUser(server))
	}
	return u.Hostname(), nil
}

// withoutUser hides what stands before an @, which may be a password.
func withoutUser(server string) string {
	at := strings.LastIndexByte(server, '@')
	if at < 0 {
		return server
	}
	scheme, _, found := strings.Cut(server, "://")
	if !found {
		return "...@" + server[at+1:]
	}
	return scheme + "://...@" + server[at+1:]
}
