package nats

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// session publishes over a link of its own. Once the link, a right or an
// acknowledgement is lost, it is over.
type session struct {
	link      *connection
	dialer    severable
	before    int // violations of rights that no publish depends on
	publisher *publisher
	alive     atomic.Pointer[publisher] // the same, for the link's own callbacks
}

// connect opens a link with the settings of c.
func (s *session) connect(ctx context.Context, c *connection, limits connectors.Limits, timeout time.Duration) error {
	s.link = &connection{name: c.name, settings: c.settings, report: c.report}
	// The handlers come also when this end closes the link, after the first failure.
	lost := func(nc *natsgo.Conn) {
		if p := s.alive.Load(); p != nil {
			p.fail(connectors.Errorf(connectors.Disconnected, "the link to the destination was lost%s", because(nc.LastError())))
		}
	}
	s.dialer.patience = timeout
	nc, settings, err := dialWithin(ctx, c.settings, natsgo.NoReconnect(), s.dialer.option, natsgo.ClosedHandler(lost),
		natsgo.DisconnectErrHandler(func(nc *natsgo.Conn, _ error) { lost(nc) }),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { s.asyncError(err) }))
	if err != nil {
		return s.link.dialError(err)
	}
	s.link.nc, s.link.settings = nc, settings
	if err := s.link.enter(ctx); err != nil {
		nc.Close()
		return err
	}
	if s.publisher, err = newPublisher(nc, limits, timeout); err != nil {
		nc.Close()
		return err
	}
	s.before = s.link.denied.seen()
	s.alive.Store(s.publisher)
	return nil
}

// because is the reason behind a sentence, if there is one.
func because(err error) string {
	if err == nil {
		return ""
	}
	return ": " + err.Error()
}

// asyncError ends the session at once where a right is denied: the publish that
// it is about would only time out.
func (s *session) asyncError(err error) {
	p := s.alive.Load()
	if !s.link.denied.note(err) || p == nil {
		return
	}
	p.fail(s.link.denied.since(s.before))
	if m := violationText.FindStringSubmatch(err.Error()); m != nil && strings.EqualFold(m[1], "publish") {
		p.refused(m[2])
	}
}

// untilCancelled makes a cancellation cut the link, as a write to it may block. The
// caller ends that with the function that it returns.
func (s *session) untilCancelled(ctx context.Context) (release func() bool) {
	return context.AfterFunc(ctx, func() {
		s.publisher.fail(ctx.Err())
		s.dialer.cut()
	})
}

// broken ends the session after a failure: nothing that is still buffered may be
// written later.
func (s *session) broken(err error) error {
	if denied := s.link.denied.since(s.before); denied != nil {
		err = denied
	}
	if s.link.nc.IsConnected() && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		s.publisher.calm()
	}
	s.dialer.cut()
	s.link.Close()
	return err
}

// Close implements connectors.Sink and connectors.DeadLetters.
func (s *session) Close() error {
	unproven := s.publisher.outstanding().Messages > 0
	s.publisher.fail(natsgo.ErrConnectionClosed)
	if unproven {
		s.dialer.cut()
	}
	s.link.Close()
	if unproven {
		return connectors.ErrUnproven
	}
	return nil
}
