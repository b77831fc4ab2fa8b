package nats

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// violations remembers the denied rights of one connection. The server tells of
// them only beside the request that they hit, which then runs into a time-out.
type violations struct {
	mu      sync.Mutex
	count   int
	last    *connectors.Error
	waiting map[*context.CancelCauseFunc]struct{}
}

var violationText = regexp.MustCompile(`(?i)permissions violation for (publish|subscription) to "([^"]*)"`)

// note takes an asynchronous error, and says whether it was a denied right.
func (v *violations) note(err error) bool {
	if !errors.Is(err, natsgo.ErrPermissionViolation) {
		return false
	}
	denied := connectors.Errorf(connectors.Environment, "permission denied: %v", err)
	if m := violationText.FindStringSubmatch(err.Error()); m != nil {
		verb := map[string]string{"publish": "publish to", "subscription": "subscribe to"}[strings.ToLower(m[1])]
		denied = connectors.Errorf(connectors.Environment, "permission denied: the user may not %s %q", verb, m[2]).
			WithHelp("give the user that permission on the server")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.count++
	v.last = denied
	v.end(denied)
	return true
}

// interrupt ends the requests that are waiting: what they asked for will not be
// answered any more.
func (v *violations) interrupt(err *connectors.Error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.end(err)
}

func (v *violations) end(err error) {
	for cancel := range v.waiting {
		(*cancel)(err)
	}
}

// seen counts the violations so far.
func (v *violations) seen() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.count
}

// since is the newest violation after the first n.
func (v *violations) since(n int) *connectors.Error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.count > n {
		return v.last
	}
	return nil
}

// guard runs f with a context that ends at the first violation or interruption,
// and returns that instead of what f made of it.
func (v *violations) guard(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	v.mu.Lock()
	before := v.count
	if v.waiting == nil {
		v.waiting = map[*context.CancelCauseFunc]struct{}{}
	}
	v.waiting[&cancel] = struct{}{}
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		delete(v.waiting, &cancel)
		v.mu.Unlock()
	}()
	err := f(ctx)
	if err == nil {
		return nil
	}
	if denied := v.since(before); denied != nil {
		return denied
	}
	if interrupted, ok := errors.AsType[*connectors.Error](context.Cause(ctx)); ok {
		return interrupted
	}
	return err
}
