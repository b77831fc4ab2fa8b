package nats

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Codes of the server's API that nats.go has no name for, or that decide here.
const (
	codeStreamNotFound    jetstream.ErrorCode = 10059
	codeNotEnabledAccount jetstream.ErrorCode = 10039
	codeNotEnabled        jetstream.ErrorCode = 10076
	codeSubjectOverlap    jetstream.ErrorCode = 10065
	codeWrongLastSequence jetstream.ErrorCode = 10071
	codeMessageNotFound   jetstream.ErrorCode = 10037
	codeMaximumMessages   jetstream.ErrorCode = 10077
	codeMaximumConsumers  jetstream.ErrorCode = 10026
	codeMaximumStreams    jetstream.ErrorCode = 10027
	codeStreamNameInUse   jetstream.ErrorCode = 10058
	codeBadStream         jetstream.ErrorCode = 10052
	// An earlier try of the same message, or of one to its subject, has no quorum yet.
	codeDuplicatePending jetstream.ErrorCode = 10158
	codeAppendPending    jetstream.ErrorCode = 10164
	codeMaximumAcks      jetstream.ErrorCode = 10121
)

// classify gives an error of the client or the server its class.
func classify(err error) connectors.Class {
	if api, ok := apiError(err); ok {
		return classifyAPI(api)
	}
	switch {
	case isAny(err, natsgo.ErrNoServers, natsgo.ErrDisconnected, natsgo.ErrConnectionClosed,
		natsgo.ErrConnectionReconnecting, natsgo.ErrStaleConnection, natsgo.ErrConnectionDraining):
		return connectors.Disconnected
	case isAuth(err), isTLS(err), isAny(err, os.ErrNotExist, os.ErrPermission):
		return connectors.Environment
	case isAny(err, natsgo.ErrTimeout, context.DeadlineExceeded, natsgo.ErrNoResponders, jetstream.ErrNoStreamResponse):
		return connectors.Transient
	case isA[net.Error](err):
		return connectors.Disconnected
	}
	return connectors.Permanent
}

func classifyAPI(api *jetstream.APIError) connectors.Class {
	switch api.ErrorCode {
	case codeNotEnabledAccount, codeNotEnabled, codeStreamNotFound, codeMaximumConsumers, codeMaximumStreams:
		return connectors.Environment
	case codeMaximumMessages, codeDuplicatePending, codeAppendPending:
		return connectors.Transient
	case codeBadStream:
		return connectors.Permanent
	}
	if api.Code >= 500 {
		return connectors.Transient
	}
	return connectors.Permanent
}

// apiError finds the server's own error in err's chain.
func apiError(err error) (*jetstream.APIError, bool) {
	if js, ok := errors.AsType[jetstream.JetStreamError](err); ok && js.APIError() != nil {
		return js.APIError(), true
	}
	return errors.AsType[*jetstream.APIError](err)
}

func hasCode(err error, codes ...jetstream.ErrorCode) bool {
	api, ok := apiError(err)
	return ok && slices.Contains(codes, api.ErrorCode)
}

func isAuth(err error) bool {
	return isAny(err, natsgo.ErrAuthorization, natsgo.ErrAuthExpired, natsgo.ErrAuthRevoked, natsgo.ErrAccountAuthExpired,
		natsgo.ErrPermissionViolation, natsgo.ErrNkeysNotSupported, natsgo.ErrNoUserCB)
}

func isName(err error) bool { return isA[*net.DNSError](err) }

func isTLS(err error) bool {
	op, _ := errors.AsType[*net.OpError](err)
	return op != nil && op.Op == "remote error" || // an alert of the other end
		isAny(err, natsgo.ErrSecureConnRequired, natsgo.ErrSecureConnWanted, natsgo.ErrTLS) ||
		isA[*tls.CertificateVerificationError](err) || isA[x509.UnknownAuthorityError](err) || isA[tls.RecordHeaderError](err)
}

// isAny says whether one of the known errors is in err's chain.
func isAny(err error, known ...error) bool {
	return slices.ContainsFunc(known, func(k error) bool { return errors.Is(err, k) })
}

// isA says whether an error of that type is in err's chain.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// apiText is the server's description alone.
func apiText(err error) string {
	if api, ok := apiError(err); ok {
		return api.Description
	}
	return ""
}

// describe is the server's or client's text, with the server's code.
func describe(err error) string {
	if api, ok := apiError(err); ok {
		return fmt.Sprintf("%s (error %d)", api.Description, api.ErrorCode)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer within " + connectors.ShortDuration(requestTimeout)
	}
	return err.Error()
}

// failed wraps an error with what was tried, keeping an error's own class.
func failed(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		copied := *e
		copied.Err = fmt.Errorf("%s: %w", what, e.Err)
		return &copied
	}
	return &connectors.Error{Class: classify(err), Err: fmt.Errorf("%s: %w", what, &described{err})}
}

// described shows an error with the server's code.
type described struct{ err error }

func (d *described) Error() string { return describe(d.err) }
func (d *described) Unwrap() error { return d.err }
