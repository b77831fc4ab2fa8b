package nats

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestClassify(t *testing.T) {
	api := func(code int, number jetstream.ErrorCode) error {
		return fmt.Errorf("outer: %w", &jetstream.APIError{Code: code, ErrorCode: number, Description: "x"})
	}
	for _, c := range []struct {
		err  error
		want connectors.Class
	}{
		{natsgo.ErrNoServers, connectors.Disconnected},
		{fmt.Errorf("x: %w", natsgo.ErrConnectionClosed), connectors.Disconnected},
		{errors.Join(natsgo.ErrDisconnected, io.EOF), connectors.Disconnected},
		{natsgo.ErrTimeout, connectors.Transient},
		{context.DeadlineExceeded, connectors.Transient},
		{natsgo.ErrNoResponders, connectors.Transient},
		{jetstream.ErrNoStreamResponse, connectors.Transient},
		{natsgo.ErrAuthorization, connectors.Environment},
		{natsgo.ErrPermissionViolation, connectors.Environment},
		{os.ErrNotExist, connectors.Environment},
		{jetstream.ErrStreamNotFound, connectors.Environment},
		{api(503, codeMaximumMessages), connectors.Transient},
		{api(503, 10023), connectors.Transient},
		{api(503, codeNotEnabledAccount), connectors.Environment},
		{api(503, codeNotEnabled), connectors.Environment},
		{api(400, codeMaximumConsumers), connectors.Environment},
		{api(400, jetstream.ErrorCode(10060)), connectors.Permanent},
		{io.ErrUnexpectedEOF, connectors.Permanent},
	} {
		if got := classify(c.err); got != c.want {
			t.Errorf("%v: expected class %d, found %d", c.err, c.want, got)
		}
	}
}

func TestFailedKeepsWhatAnErrorKnows(t *testing.T) {
	inner := connectors.Errorf(connectors.Environment, "no").WithHelp("do").About(connectors.SinkRole, 2, "stream")
	err := failed(inner, "looking at %s", "X")
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || err.Error() != "looking at X: no" || e.Class != connectors.Environment || e.Help != "do" || e.Role != connectors.SinkRole || e.Spec != 2 || e.Key != "stream" {
		t.Errorf("found %#v", err)
	}
	if inner.Error() != "no" {
		t.Errorf("the inner error has changed to %v", inner)
	}
	err = failed(&jetstream.APIError{Code: 503, ErrorCode: codeMaximumMessages, Description: "maximum messages exceeded"}, "writing")
	if err.Error() != "writing: maximum messages exceeded (error 10077)" || !hasCode(err, codeMaximumMessages) || hasCode(err, jetstream.ErrorCode(10060)) {
		t.Errorf("found %v", err)
	}
}
