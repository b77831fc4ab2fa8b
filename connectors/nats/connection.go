package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/internal/natsdial"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// requestTimeout bounds one request to JetStream's API.
const requestTimeout = 5 * time.Second

// connection is one link to an account, for the source and the ledger; each
// sink has a link of its own.
type connection struct {
	name     string
	settings connectors.Settings
	nc       *natsgo.Conn
	js       jetstream.JetStream
	account  string // the same for two links to one account, as far as the server tells
	limits   jetstream.AccountLimits
	denied   violations
	report   func(connectors.Notice)

	mu        sync.Mutex
	lost      time.Time // since when the link is down; zero if it is up
	refusal   refusal   // by the server, of the link that is lost
	reconnect []*func() // called after each reconnect, and when there will be none
}

// open connects and makes sure that JetStream answers.
func open(ctx context.Context, name string, s connectors.Settings, report func(connectors.Notice)) (*connection, error) {
	c := &connection{name: name, settings: s, report: report}
	nc, s, err := dialWithin(ctx, s, c.handlers()...)
	if err != nil {
		return nil, c.dialError(err)
	}
	c.nc, c.settings = nc, s
	if err := c.enter(ctx); err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

func (c *connection) dialError(err error) error {
	where := natsdial.Address(c.settings)
	if c.settings.Has("context") {
		where = fmt.Sprintf("of the context %q", c.settings.Text("context"))
	}
	if errors.Is(err, natsgo.ErrNoServers) { // what the client makes of a refusal
		err = fmt.Errorf("nothing listens there, the connection was refused (%w)", err)
	}
	wrapped := failed(err, "connecting to the NATS server %s", where)
	e, ok := errors.AsType[*connectors.Error](wrapped)
	switch {
	case !ok || e.Help != "":
	case c.settings.Has("context") && e.Class == connectors.Permanent:
		e.Class, e.Help = connectors.Environment, "the contexts there are: nats context ls"
	case e.Class == connectors.Permanent: // a file or a key that cannot be used
		e.Class, e.Help = connectors.Environment, "check the credentials"
	case errors.Is(err, natsgo.ErrSecureConnWanted):
		e.Help = "the server offers no TLS: write nats:// instead of tls://"
	case isAuth(err):
		e.Help = "check the credentials: " + credentialsOf(c.settings)
	case isTLS(err):
		e.Help = "check the authorities that are trusted (tls_ca), the server's certificate, whether it asks for one of yours (tls_cert, tls_key), and whether TLS comes first (tls_first)"
	case isName(err):
		e.Help = "check the server's name"
	case e.Class == connectors.Disconnected:
		e.Help = "start a server there, give another one with --server, or run with --embedded"
	}
	return wrapped
}

func (c *connection) handlers() []natsgo.Option {
	return []natsgo.Option{
		attentively,
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) {
			if !c.denied.note(err) && isAuth(err) {
				c.onRefusal(err)
			}
		}),
		natsgo.DisconnectErrHandler(func(_ *natsgo.Conn, err error) { c.onDisconnect(err) }),
		natsgo.ReconnectHandler(func(nc *natsgo.Conn) { c.onReconnect(nc) }),
	}
}

func (c *connection) onDisconnect(err error) {
	c.mu.Lock()
	first := c.lost.IsZero()
	if first {
		c.lost = time.Now()
	}
	if c.refusal.err != nil && err != nil { // the server has said why it hangs up
		err = c.refusal.err
	}
	c.mu.Unlock()
	c.denied.interrupt(connectors.Errorf(connectors.Disconnected, "the connection %s was lost while waiting for an answer", c.name))
	if first && err != nil { // no error: this end closed the link
		c.report(connectors.Notice{Warning: true, Text: "disconnected from the NATS server, reconnecting",
			Attributes: []any{"connection", c.name, "reason", err.Error()}})
	}
}

func (c *connection) onReconnect(nc *natsgo.Conn) {
	c.mu.Lock()
	since := c.lost
	c.lost, c.refusal = time.Time{}, refusal{}
	calls := slices.Clone(c.reconnect)
	c.mu.Unlock()
	c.report(connectors.Notice{Text: "reconnected to the NATS server",
		Attributes: []any{"connection", c.name, "server", nc.ConnectedUrlRedacted(), "away", time.Since(since).Round(time.Millisecond).String()}})
	for _, call := range calls {
		(*call)()
	}
}

// enter asks for the account: that shows refused credentials and a missing
// JetStream as such, which the handshake does not.
func (c *connection) enter(ctx context.Context) error {
	js, err := newJetStream(c.nc, c.settings)
	if err != nil {
		return failed(err, "the connection %s", c.name)
	}
	c.js = js
	err = c.ask(ctx, func(ctx context.Context) error {
		info, err := js.AccountInfo(ctx)
		if err == nil {
			c.limits = info.Limits
		}
		return err
	})
	switch {
	case err == nil:
	case hasCode(err, codeNotEnabledAccount), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return connectors.Errorf(connectors.Environment, "JetStream is not enabled for the account of connection %s at %s", c.name, c.where()).
			WithHelp("enable JetStream for the account, or use another account")
	case c.settings.Has("domain") && (errors.Is(err, natsgo.ErrNoResponders) || errors.Is(err, jetstream.ErrJetStreamNotEnabled)):
		return connectors.Errorf(connectors.Transient, "no JetStream answers for the domain %q at %s", c.settings.Text("domain"), c.where()).
			WithHelp("check the domain's name, and that JetStream is enabled there")
	case hasCode(err, codeNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, natsgo.ErrNoResponders):
		return connectors.Errorf(connectors.Transient, "JetStream is not enabled on the server %s, or does not answer", c.where()).
			WithHelp("start nats-server with -js, or use another server")
	default:
		return failed(err, "asking the server %s for its JetStream account", c.where())
	}
	c.account = c.accountID(ctx)
	return nil
}

// api is the subject of a request to JetStream's API.
func (c *connection) api(request string) string {
	switch {
	case c.settings.Has("domain"):
		return "$JS." + c.settings.Text("domain") + ".API." + request
	case c.settings.Has("api_prefix"):
		return strings.TrimSuffix(c.settings.Text("api_prefix"), ".") + "." + request
	}
	return jetstream.DefaultAPIPrefix + request
}

func newJetStream(nc *natsgo.Conn, s connectors.Settings) (jetstream.JetStream, error) {
	switch {
	case s.Has("domain"):
		return jetstream.NewWithDomain(nc, s.Text("domain"))
	case s.Has("api_prefix"):
		return jetstream.NewWithAPIPrefix(nc, s.Text("api_prefix"))
	}
	return jetstream.New(nc)
}

// userInfoSubject is where a server tells who somebody is, and what they may do.
const userInfoSubject = "$SYS.REQ.USER.INFO"

// accountID is the cluster and the account. Where the server does not tell the
// account, two of one server count as one: the right to ask is no condition for
// a flow, and a loop is worse than a refusal.
func (c *connection) accountID(ctx context.Context) string {
	where := c.nc.ConnectedClusterName()
	if where == "" {
		where = c.nc.ConnectedServerId()
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	u, err := c.user(ctx)
	if err != nil {
		return where + "/"
	}
	return where + "/" + u.Account
}

// user is what a server tells of a connection's user.
type user struct {
	Account     string
	Permissions struct {
		Publish, Subscribe *granted // nil is everything
	}
}

// granted are filters of subjects; none that are allowed is everything.
type granted struct{ Allow, Deny []string }

func (c *connection) user(ctx context.Context) (user, error) {
	var answer struct {
		Data user `json:"data"`
	}
	err := c.call(ctx, func(ctx context.Context) error {
		reply, err := c.nc.RequestWithContext(ctx, userInfoSubject, nil)
		if err != nil {
			return err
		}
		return json.Unmarshal(reply.Data, &answer)
	})
	return answer.Data, err
}

// call makes requests bounded by requestTimeout, and by the first denied right.
func (c *connection) call(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return c.denied.guard(ctx, f)
}

// ask is call for a request that may be made twice. One that is lost with a server,
// or with the leader of a stream, is never answered; the next may be.
func (c *connection) ask(ctx context.Context, f func(context.Context) error) error {
	return c.call(ctx, func(ctx context.Context) error {
		for patience := requestTimeout / 5; ; patience *= 2 {
			try, cancel := context.WithTimeout(ctx, patience)
			err := f(try)
			cancel()
			if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
		}
	})
}

func (c *connection) where() string { return c.nc.ConnectedUrlRedacted() }

// String implements connectors.Connection.
func (c *connection) String() string {
	if c.settings.Has("context") {
		return fmt.Sprintf("%s (context %s)", c.where(), c.settings.Text("context"))
	}
	return c.where()
}

// onEachReconnect registers a call, and returns what ends that.
func (c *connection) onEachReconnect(call func()) (forget func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reconnect = append(c.reconnect, &call)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reconnect = slices.DeleteFunc(c.reconnect, func(other *func()) bool { return other == &call })
	}
}

// Await implements connectors.Connection. nats.go tells of a reconnect only by
// its handler, which the caller's own interest cannot join in time, so it looks.
func (c *connection) Await(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !c.nc.IsConnected() {
		if err := c.refusedForGood(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// Close implements connectors.Connection.
func (c *connection) Close() { c.nc.Close() }
