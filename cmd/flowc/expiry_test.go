package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/internal/natsprocess"
	"github.com/nats-io/jwt/v2"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// TestExpiredCredentials lets credentials expire below a running flow: it ends and
// says so, or goes on once there are new ones in their file.
func TestExpiredCredentials(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	w := worldOf(t, natsprocess.StartConfigured(t, o.config), natsgo.UserCredentials(o.credentials(t, time.Hour)))
	run := func(name, credentials string) *process {
		p := w.run(writeFile(t, name+".flow", fmt.Sprintf(`from nats "orders.>" epoch 10/100ms to nats stream "OUT" subject "out.%s"`, name)), "--creds", credentials)
		p.says("msg=reading")
		return p
	}
	const life = 3 * time.Second
	renewed := o.credentials(t, life)
	lost, kept := run("lost", o.credentials(t, life)), run("kept", renewed)
	if err := os.Rename(o.credentials(t, time.Hour), renewed); err != nil {
		t.Fatal(err)
	}
	lost.ends(statusSurrounding, life+noticed)
	// A server takes them once more within the second in which they expire. Then it is
	// the sink's link that is refused, and not the source's.
	if said := lost.errs.String(); !strings.Contains(said, "the server refuses the credentials of connection nats since ") && !strings.Contains(said, "nats: User Authentication Expired") {
		t.Errorf("it ended and said %s", said)
	}
	lost.says(`msg="disconnected from the NATS server, reconnecting" flow=lost connection=nats reason="nats: authentication expired"`)
	if lines := strings.Count(lost.errs.String(), "\n"); lines > 15 {
		t.Errorf("expected a few lines, found %d", lines)
	}
	kept.says(`msg="reconnected to the NATS server"`)
	kept.says(`msg="reading goes on from the last certified position"`)
	w.publish(1)
	eventually(t, "the flow with new credentials goes on", func() bool { return w.stored("OUT") == 1 })
}

// operator signs the users of a server.
type operator struct {
	config  string // of the server
	account nkeys.KeyPair
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	must := func(text string, err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	keys, err := nkeys.CreateOperator()
	if err != nil {
		t.Fatal(err)
	}
	o := &operator{}
	system, err := nkeys.CreateAccount()
	if err != nil {
		t.Fatal(err)
	}
	if o.account, err = nkeys.CreateAccount(); err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewOperatorClaims(must(keys.PublicKey()))
	claims.SystemAccount = must(system.PublicKey())
	account := jwt.NewAccountClaims(must(o.account.PublicKey()))
	account.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	o.config = fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }\n",
		must(claims.Encode(keys)), claims.SystemAccount,
		claims.SystemAccount, must(jwt.NewAccountClaims(claims.SystemAccount).Encode(keys)),
		account.Subject, must(account.Encode(keys)))
	return o
}

// credentials is a file with those of a new user, which expire.
func (o *operator) credentials(t *testing.T, life time.Duration) string {
	t.Helper()
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := user.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	claims := jwt.NewUserClaims(public)
	claims.Expires = time.Now().Add(life).Unix()
	token, err := claims.Encode(o.account)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "user.creds")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
