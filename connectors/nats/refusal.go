package nats

import (
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
)

// refusalPatience is how long the server may refuse the credentials of a link that
// it had accepted: a change of its configuration, or of a file of credentials, may
// reach it a little late.
const refusalPatience = 5 * time.Second

// refusal is what the server said of the credentials when it closed a link, and
// since it does.
type refusal struct {
	err         error // the first: later ones only say that it is so
	first, last time.Time
}

// onRefusal takes the server's word, for the link that it closes and for each try
// to have it back.
func (c *connection) onRefusal(err error) {
	c.mu.Lock()
	now := time.Now()
	if c.refusal.err == nil {
		c.refusal.err, c.refusal.first = err, now
	}
	c.refusal.last = now
	calls := slices.Clone(c.reconnect)
	c.mu.Unlock()
	if c.refusedForGood() != nil {
		for _, call := range calls {
			(*call)()
		}
	}
}

// refusedForGood says that there is no use in waiting for the link any more.
func (c *connection) refusedForGood() error {
	c.mu.Lock()
	r := c.refusal
	c.mu.Unlock()
	if r.err == nil || r.last.Sub(r.first) < refusalPatience {
		return nil
	}
	return connectors.Errorf(connectors.Environment, "the server refuses the credentials of connection %s since %s: %w", c.name, r.first.UTC().Format(time.RFC3339), r.err).
		WithHelp("renew them and start the flow again; %s", credentialsOf(c.settings))
}
