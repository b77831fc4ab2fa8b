package nats

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// issuer is an account whose users a server trusts.
type issuer struct {
	t    *testing.T
	keys nkeys.KeyPair
	url  string
}

func newKeys(t *testing.T, make func() (nkeys.KeyPair, error)) (keys nkeys.KeyPair, public string) {
	t.Helper()
	keys, err := make()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = keys.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return keys, public
}

// newIssuer starts a server that takes users of one account by their JWTs.
func newIssuer(t *testing.T) *issuer {
	t.Helper()
	operator, operatorID := newKeys(t, nkeys.CreateOperator)
	account, accountID := newKeys(t, nkeys.CreateAccount)
	_, systemID := newKeys(t, nkeys.CreateAccount)
	encode := func(claims jwt.Claims) string {
		text, err := claims.Encode(operator)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	claims := jwt.NewAccountClaims(accountID)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	resolver := &server.MemAccResolver{}
	for id, text := range map[string]string{accountID: encode(claims), systemID: encode(jwt.NewAccountClaims(systemID))} {
		if err := resolver.Store(id, text); err != nil {
			t.Fatal(err)
		}
	}
	trusted := jwt.NewOperatorClaims(operatorID)
	encode(trusted)
	url := startServer(t, func(o *server.Options) {
		o.TrustedKeys, o.AccountResolver, o.SystemAccount = []string{operatorID}, resolver, systemID
	})
	return &issuer{t: t, keys: account, url: url}
}

// user is a new user's JWT, valid for that long, and the seed that goes with it.
func (i *issuer) user(life time.Duration) (token, seed string) {
	i.t.Helper()
	keys, id := newKeys(i.t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(id)
	claims.Expires = time.Now().Add(life).Unix()
	token, err := claims.Encode(i.keys)
	if err != nil {
		i.t.Fatal(err)
	}
	b, err := keys.Seed()
	if err != nil {
		i.t.Fatal(err)
	}
	return token, string(b)
}

// file is a credentials file.
func (i *issuer) file(token, seed string) string {
	i.t.Helper()
	text, err := jwt.FormatUserConfig(token, []byte(seed))
	if err != nil {
		i.t.Fatal(err)
	}
	path := filepath.Join(i.t.TempDir(), "user.creds")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		i.t.Fatal(err)
	}
	return path
}

func TestAuthenticationByJWT(t *testing.T) {
	i := newIssuer(t)
	token, seed := i.user(time.Hour)
	_, other := i.user(time.Hour)
	expired, expiredSeed := i.user(-time.Hour)
	given := connectors.Given
	for _, v := range []struct {
		name  string
		given connectors.Settings
		err   string
	}{
		{"jwt", connectors.Settings{"auth_mode": "jwt", "jwt": given(token), "nkey_seed": given(seed)}, ""},
		{"another's seed", connectors.Settings{"auth_mode": "jwt", "jwt": given(token), "nkey_seed": given(other)}, "Authorization Violation"},
		{"no seed at all", connectors.Settings{"auth_mode": "jwt", "jwt": given(token), "nkey_seed": given("hush")}, "seed"},
		{"expired", connectors.Settings{"auth_mode": "jwt", "jwt": given(expired), "nkey_seed": given(expiredSeed)}, "Authorization Violation"},
		{"creds", connectors.Settings{"auth_mode": "creds", "creds": i.file(token, seed)}, ""},
		{"expired creds", connectors.Settings{"auth_mode": "creds", "creds": i.file(expired, expiredSeed)}, "Authorization Violation"},
		{"nothing", nil, "Authorization Violation"},
	} {
		t.Run(v.name, func(t *testing.T) {
			err := tryOpen(t, i.url, v.given)
			if v.err == "" {
				check(t, v.name, err, "")
				return
			}
			expectEnvironment(t, v.name, err, v.err)
			if e, _ := errors.AsType[*connectors.Error](err); strings.Contains(e.Help, "expired at") != strings.HasPrefix(v.name, "expired") {
				t.Errorf("found the help %q", e.Help)
			}
		})
	}
}
