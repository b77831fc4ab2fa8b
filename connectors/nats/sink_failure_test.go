package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
)

// heldSink is a sink behind a proxy, with an existing stream V1.
func heldSink(t *testing.T, given connectors.Settings) (*sink, *proxy, jetstream.Stream) {
	t.Helper()
	url := startEmbedded(t)
	stream := makeStream(t, client(t, url), streamOn("V1", "v1.>"))
	p, through := startProxy(t, url)
	c, _ := link(t, through, nil)
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", given))
	begin(t, s, 1)
	return s, p, stream
}

// applyBeside applies while the test does something else.
func applyBeside(ctx context.Context, s *sink, batch connectors.Batch) <-chan error {
	done := make(chan error, 1)
	go func() { done <- prepareAndApply(ctx, s, batch) }()
	return done
}

func soon(t *testing.T, what string, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		t.Fatalf("expected within %s: %s", patience, what)
		return nil
	}
}

func TestApplyKeepsWithinItsWindow(t *testing.T) {
	s, p, stream := heldSink(t, connectors.Settings{"max_in_flight": connectors.Limits{Messages: 7, Bytes: 1 << 20}})
	p.down.hold()
	done := applyBeside(t.Context(), s, numbered(t, 1, 100))
	eventually(t, "a full window", func() bool { return s.Stats().InFlight.Messages == 7 })
	eventually(t, "seven stored messages", func() bool { return state(t, stream).Msgs == 7 })
	if stats := s.Stats(); stats.Limits.Messages != 7 || stats.InFlight.Bytes <= 0 {
		t.Errorf("found %+v", stats)
	}
	p.down.open()
	if err := soon(t, "the rest is sent", done); err != nil {
		t.Fatal(err)
	}
	if got := state(t, stream).Msgs; got != 100 || s.Stats().InFlight != (connectors.Limits{}) {
		t.Errorf("expected 100 stored messages and none in flight, found %d and %+v", got, s.Stats().InFlight)
	}
}

func TestSilentServerLeavesTheOutcomeUnproven(t *testing.T) {
	s, p, stream := heldSink(t, connectors.Settings{"publish_timeout": 200 * time.Millisecond})
	p.down.hold()
	err := soon(t, "the time-out", applyBeside(t.Context(), s, numbered(t, 1, 3)))
	check(t, "Apply", err, "no acknowledgement from stream V1")
	if !connectors.Retryable(err) {
		t.Errorf("expected an error that may pass, found %v", err)
	}
	if _, err := s.Commit(t.Context(), 1); err == nil {
		t.Error("the epoch was committed")
	}
	if err := s.Close(); !errors.Is(err, connectors.ErrUnproven) {
		t.Errorf("expected %v, found %v", connectors.ErrUnproven, err)
	}
	p.down.open()
	if got := state(t, stream).Msgs; got != 3 {
		t.Errorf("expected the three messages that were sent, found %d", got)
	}
}

func TestNothingIsWrittenAfterACancellation(t *testing.T) {
	s, p, stream := heldSink(t, connectors.Settings{"max_in_flight": connectors.Limits{Messages: 5, Bytes: 1 << 20}})
	p.down.hold()
	ctx, cancel := context.WithCancel(t.Context())
	done := applyBeside(ctx, s, numbered(t, 1, 50))
	eventually(t, "five stored messages", func() bool { return state(t, stream).Msgs == 5 })
	p.up.hold()
	cancel()
	if err := soon(t, "the cancellation", done); !errors.Is(err, context.Canceled) {
		t.Errorf("expected the cancellation, found %v", err)
	}
	if err := s.Close(); !errors.Is(err, connectors.ErrUnproven) {
		t.Errorf("expected %v, found %v", connectors.ErrUnproven, err)
	}
	p.up.open()
	p.down.open()
	// Whatever was on the way to the server has passed it before this did.
	if _, err := client(t, "nats://"+p.target).Publish(t.Context(), "v1.end", nil); err != nil {
		t.Fatal(err)
	}
	if got := state(t, stream).Msgs; got != 6 {
		t.Errorf("expected five messages and the last one, found %d", got)
	}
}

func TestARefusalOfTheServerIsNamedWithItsCode(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	config := streamOn("V1", "v1.>")
	config.MaxMsgs, config.Discard = 2, jetstream.DiscardNew
	makeStream(t, client(t, url), config)
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	begin(t, s, 1)
	err := prepareAndApply(t.Context(), s, numbered(t, 1, 3))
	check(t, "full stream", err, "maximum messages exceeded (error 10077)")
	if connectors.ClassOf(err) != connectors.Transient {
		t.Errorf("expected a full stream to be transient, found class %d", connectors.ClassOf(err))
	}
}

func TestASubjectThatMovedToAnotherStreamIsNotWritten(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	makeStream(t, js, streamOn("V1", "v1.>"))
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	begin(t, s, 1)
	if err := js.DeleteStream(t.Context(), "V1"); err != nil {
		t.Fatal(err)
	}
	other := makeStream(t, js, streamOn("OTHER", "v1.>"))
	err := prepareAndApply(t.Context(), s, numbered(t, 1, 1))
	check(t, "moved", err, "error 10060")
	if got := state(t, other).Msgs; got != 0 {
		t.Errorf("expected nothing in the other stream, found %d messages", got)
	}
}

func TestADeletedStreamDoesNotAnswer(t *testing.T) {
	url := startEmbedded(t)
	c, _ := link(t, url, nil)
	js := client(t, url)
	makeStream(t, js, streamOn("V1", "v1.>"))
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	begin(t, s, 1)
	if err := js.DeleteStream(t.Context(), "V1"); err != nil {
		t.Fatal(err)
	}
	err := soon(t, "an error without waiting", applyBeside(t.Context(), s, numbered(t, 1, 1)))
	check(t, "deleted", err, "no responders")
}

func TestADeniedSubjectIsNamed(t *testing.T) {
	url := startServer(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "all", Password: "p"}, {Username: "few", Password: "p", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{"v1.>"}}}}}
	})
	makeStream(t, client(t, url, userInfo("all")), streamOn("V1", "v1.>"))
	c, _ := link(t, url, connectors.Settings{"auth_mode": "user_password", "username": "few", "password": connectors.Given("p")})
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", connectors.Settings{"publish_timeout": time.Hour}))
	begin(t, s, 1)
	err := soon(t, "the denied right without waiting", applyBeside(t.Context(), s, numbered(t, 1, 3)))
	check(t, "denied", err, `permission denied: the user may not publish to "v1.orders"`)
	if connectors.ClassOf(err) != connectors.Environment {
		t.Errorf("expected an environment error, found class %d", connectors.ClassOf(err))
	}
}

func TestACleanSinkClosesQuietly(t *testing.T) {
	c, _ := link(t, startEmbedded(t), nil)
	s := openSink(t, c, ordersTo("V1", "v1.<resource>", nil))
	begin(t, s, 1)
	apply(t, s, numbered(t, 1, 10))
	commit(t, s, 1)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A link that is cut must not wait for the publish time-out.
func TestACutLinkEndsApplyAtOnce(t *testing.T) {
	s, p, _ := heldSink(t, connectors.Settings{"publish_timeout": time.Hour})
	p.down.hold()
	done := applyBeside(t.Context(), s, numbered(t, 1, 3))
	eventually(t, "three messages in flight", func() bool { return s.Stats().InFlight.Messages == 3 })
	p.cut()
	err := soon(t, "the lost link", done)
	check(t, "cut", err, "the link to the destination was lost")
	if connectors.ClassOf(err) != connectors.Disconnected {
		t.Errorf("expected a lost link, found class %d", connectors.ClassOf(err))
	}
	if err := s.Close(); !errors.Is(err, connectors.ErrUnproven) {
		t.Errorf("expected %v, found %v", connectors.ErrUnproven, err)
	}
}

// A server that stops reading fills the client's socket; Apply must still end.
func TestAServerThatStopsReadingEndsWithinThePublishTimeout(t *testing.T) {
	s, p, _ := heldSink(t, connectors.Settings{"publish_timeout": 300 * time.Millisecond, "max_in_flight": connectors.Limits{Messages: 1024, Bytes: 256 << 20}})
	p.up.hold()
	p.down.hold()
	err := soon(t, "the time-out", applyBeside(t.Context(), s, largeBatch(t)))
	if !connectors.Retryable(err) {
		t.Errorf("expected an error that may pass, found %v", err)
	}
}

// The same with a cancellation.
func TestAServerThatStopsReadingDoesNotHoldUpACancellation(t *testing.T) {
	s, p, _ := heldSink(t, connectors.Settings{"publish_timeout": time.Hour, "max_in_flight": connectors.Limits{Messages: 1024, Bytes: 256 << 20}})
	p.up.hold()
	p.down.hold()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := soon(t, "the cancellation", applyBeside(ctx, s, largeBatch(t))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("expected the cancellation, found %v", err)
	}
}

// largeBatch is more than the sockets on the way can hold.
func largeBatch(t *testing.T) connectors.Batch {
	t.Helper()
	return batchOf(t, 1, slices.Repeat([]string{fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", 500<<10))}, 100)...)
}
