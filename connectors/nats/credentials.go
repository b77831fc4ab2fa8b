package nats

import (
	"fmt"
	"os"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/jwt/v2"
)

// credentialsOf says what a connection shows of its user, without any secret.
func credentialsOf(s connectors.Settings) string {
	switch mode := s.Text("auth_mode"); {
	case s.Has("context"):
		return fmt.Sprintf("they come from the context %q", s.Text("context"))
	case mode == "user_password":
		return fmt.Sprintf("user %q and a password were given", s.Text("username"))
	case mode == "" || mode == "none":
		return "none were given"
	default:
		text := mode + " was given"
		if expires := expiryOf(s); !expires.IsZero() && expires.Before(time.Now()) {
			text += ", which expired at " + expires.UTC().Format(time.RFC3339)
		}
		return text
	}
}

// expiryOf is when the user JWT of the settings expires, which a server that refuses
// it does not say; zero if it does not, or cannot be read.
func expiryOf(s connectors.Settings) time.Time {
	token, err := s.Reveal("jwt")
	if s.Text("auth_mode") == "creds" {
		var text []byte
		if text, err = os.ReadFile(s.Text("creds")); err == nil {
			token, err = jwt.ParseDecoratedJWT(text)
		}
	}
	if err != nil || token == "" {
		return time.Time{}
	}
	claims, err := jwt.DecodeUserClaims(token)
	if err != nil || claims.Expires == 0 {
		return time.Time{}
	}
	return time.Unix(claims.Expires, 0)
}
