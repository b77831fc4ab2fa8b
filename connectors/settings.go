package connectors

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Settings are the values of one role's fields by key, of the Go types that the
// fields' Type says; a secret field holds a Secret. A missing key was not given
// and has no default.
type Settings map[string]any

// Has says whether the key has a value.
func (s Settings) Has(key string) bool { _, ok := s[key]; return ok }

// Text is a string setting, empty if it is not there.
func (s Settings) Text(key string) string { v, _ := s[key].(string); return v }

// List is a list setting.
func (s Settings) List(key string) []string { v, _ := s[key].([]string); return v }

// Bool is a bool setting.
func (s Settings) Bool(key string) bool { v, _ := s[key].(bool); return v }

// Count is a count or a size setting.
func (s Settings) Count(key string) int64 { v, _ := s[key].(int64); return v }

// Duration is a duration setting.
func (s Settings) Duration(key string) time.Duration { v, _ := s[key].(time.Duration); return v }

// Limits is a window setting.
func (s Settings) Limits(key string) Limits { v, _ := s[key].(Limits); return v }

// Reveal reads a secret setting; it is empty if there is none.
func (s Settings) Reveal(key string) (string, error) {
	secret, ok := s[key].(Secret)
	if !ok {
		return "", nil
	}
	text, err := secret.reveal()
	if err != nil {
		return "", &Error{Class: Environment, Key: key, Err: err}
	}
	return text, nil
}

// Resolve reads the references of fields that are no secrets, such as an address
// from the environment. Secrets stay what they are until Reveal.
func (s Settings) Resolve(fields Fields) (Settings, error) {
	resolved := maps.Clone(s)
	for _, f := range fields {
		if _, reference := s[f.Key].(Secret); !reference || f.Secret {
			continue
		}
		text, err := s.Reveal(f.Key)
		if err != nil {
			return nil, err
		}
		if f.Type == List {
			resolved[f.Key] = []string{text}
		} else {
			resolved[f.Key] = text
		}
	}
	return resolved, nil
}

// Secret says where a secret is, and is all that plans, logs and errors know of it.
type Secret struct {
	From string // "env", "file", "secret" or "given"
	Name string // the variable, the path, or the name in the store
	text string
}

// Given is a secret that came in from outside a flow file, such as a flag.
func Given(text string) Secret { return Secret{From: "given", text: text} }

// String never shows the secret.
func (s Secret) String() string {
	if s.From == "given" {
		return "given"
	}
	return fmt.Sprintf("%s %q", s.From, s.Name)
}

// GoString never shows the secret either.
func (s Secret) GoString() string { return "connectors.Secret(" + s.String() + ")" }

func (s Secret) reveal() (string, error) {
	switch s.From {
	case "given":
		return s.text, nil
	case "env":
		if v := os.Getenv(s.Name); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("the environment variable %s is not set", s.Name)
	case "file":
		return readSecret(s.Name)
	case "secret":
		if !ValidSecretName(s.Name) {
			return "", fmt.Errorf("a secret's name is that of a file in the store, found %q", s.Name)
		}
		return readSecret(filepath.Join(secretStore(), s.Name))
	}
	return "", errors.New("a secret is read from `env`, `file` or `secret`")
}

// secretStore is the directory in which a service manager lays a process's secrets:
// systemd (LoadCredential=) names it, and Docker and Podman mount it.
func secretStore() string {
	return cmp.Or(os.Getenv("CREDENTIALS_DIRECTORY"), "/run/secrets")
}

// ValidSecretName says whether a name can be that of a secret in the store, and
// leads nowhere else.
func ValidSecretName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\\\x00")
}

func readSecret(path string) (string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading a secret: %w", err)
	}
	if v := strings.TrimRight(string(b), "\r\n"); v != "" {
		return v, nil
	}
	return "", fmt.Errorf("the secret file %s is empty", path)
}
