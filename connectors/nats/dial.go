package nats

import (
	"context"
	"crypto/tls"
	"maps"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/synadia-io/orbit.go/natscontext"
)

// dial connects with the settings and further options, which come last. It
// returns the settings with what a context of the nats command line adds to them.
func dial(s connectors.Settings, more ...natsgo.Option) (*natsgo.Conn, connectors.Settings, error) {
	options, err := dialOptions(s)
	if err != nil {
		return nil, s, err
	}
	options = append(options, more...)
	if s.Has("context") {
		nc, context, err := natscontext.Connect(s.Text("context"), options...)
		return nc, withContext(s, context), err
	}
	where := strings.Join(servers(s), ",")
	if where == "" {
		where = natsgo.DefaultURL
	}
	nc, err := natsgo.Connect(where, options...)
	return nc, s, err
}

// dialWithin is dial that a cancelled context ends; the client knows only time-outs.
func dialWithin(ctx context.Context, s connectors.Settings, more ...natsgo.Option) (*natsgo.Conn, connectors.Settings, error) {
	type dialed struct {
		nc  *natsgo.Conn
		s   connectors.Settings
		err error
	}
	done := make(chan dialed, 1)
	go func() {
		nc, s, err := dial(s, more...)
		done <- dialed{nc, s, err}
	}()
	select {
	case d := <-done:
		return d.nc, d.s, d.err
	case <-ctx.Done():
		go func() {
			if d := <-done; d.err == nil {
				d.nc.Close()
			}
		}()
		return nil, s, ctx.Err()
	}
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

func dialOptions(s connectors.Settings) ([]natsgo.Option, error) {
	options := []natsgo.Option{
		natsgo.Name(s.Text("name")),
		natsgo.Timeout(s.Duration("connect_timeout")),
		natsgo.MaxReconnects(-1),
		natsgo.ReconnectWait(250 * time.Millisecond),
		natsgo.ReconnectJitter(250*time.Millisecond, 500*time.Millisecond),
		natsgo.IgnoreAuthErrorAbort(),
	}
	if prefix := s.Text("inbox_prefix"); prefix != "" {
		options = append(options, natsgo.CustomInboxPrefix(prefix))
	}
	if s.Has("tls_ca") {
		options = append(options, natsgo.RootCAs(s.Text("tls_ca")))
	}
	if s.Has("tls_cert") {
		options = append(options, natsgo.ClientCert(s.Text("tls_cert"), s.Text("tls_key")))
	}
	if s.Bool("tls_first") {
		options = append(options, natsgo.TLSHandshakeFirst(), natsgo.Secure(&tls.Config{MinVersion: tls.VersionTLS12}))
	}
	auth, err := authOption(s)
	if err != nil {
		return nil, err
	}
	if auth != nil {
		options = append(options, auth)
	}
	return options, nil
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

// severable dials as its inner dialer does, and can cut what it dialed, so that
// nothing which is still buffered is written later.
type severable struct {
	inner    natsgo.CustomDialer
	patience time.Duration // how long one write may take

	mu    sync.Mutex
	conns []net.Conn
}

// option makes the options' dialer severable.
func (d *severable) option(o *natsgo.Options) error {
	d.inner = o.CustomDialer
	if d.inner == nil {
		d.inner = &net.Dialer{Timeout: o.Timeout}
	}
	o.CustomDialer = d
	return nil
}

// Dial implements natsgo.CustomDialer.
func (d *severable) Dial(network, address string) (net.Conn, error) {
	conn, err := d.inner.Dial(network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.conns = append(d.conns, conn)
	d.mu.Unlock()
	return &impatient{Conn: conn, patience: d.patience}, nil
}

// impatient does not wait for ever for a peer that has stopped to read.
type impatient struct {
	net.Conn
	patience time.Duration
}

func (c *impatient) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// cut closes at once what was dialed, and drops what the kernel still holds.
func (d *severable) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, conn := range d.conns {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
	}
	d.conns = nil
}
