package nats

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/flowlang/flow/connectors"
	natsgo "github.com/nats-io/nats.go"
)

// A link that brings nothing for silenceLimit is lost, whatever the operating
// system says of it: the server answers a sign of life each signOfLife. Data count
// as well, since an answer may stand behind many of them on a slow link.
const (
	signOfLife   = 2 * time.Second
	silenceLimit = 7 * time.Second
)

// attentively makes the options' dialer notice a silent link.
func attentively(o *natsgo.Options) error {
	dialer := &attentiveDialer{inner: o.CustomDialer}
	if dialer.inner == nil {
		dialer.inner = &net.Dialer{Timeout: o.Timeout}
	}
	o.CustomDialer = dialer
	o.PingInterval = signOfLife
	o.MaxPingsOut = int(time.Minute / signOfLife) // the client counts the answers alone
	return nil
}

type attentiveDialer struct{ inner natsgo.CustomDialer }

// Dial implements natsgo.CustomDialer.
func (d *attentiveDialer) Dial(network, address string) (net.Conn, error) {
	conn, err := d.inner.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return &attentive{Conn: conn, limit: silenceLimit}, nil
}

// attentive does not wait for ever for a peer that has gone without a word.
type attentive struct {
	net.Conn
	limit   time.Duration // of silence
	bounded atomic.Bool   // by a deadline of the client's own, as while it connects
}

// SetDeadline implements net.Conn.
func (c *attentive) SetDeadline(t time.Time) error {
	c.bounded.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
}

// SetReadDeadline implements net.Conn.
func (c *attentive) SetReadDeadline(t time.Time) error {
	c.bounded.Store(!t.IsZero())
	return c.Conn.SetReadDeadline(t)
}

// Read implements net.Conn.
func (c *attentive) Read(b []byte) (int, error) {
	if c.bounded.Load() {
		return c.Conn.Read(b)
	}
	if err := c.Conn.SetReadDeadline(time.Now().Add(c.limit)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("nothing was heard of the server for %s", connectors.ShortDuration(c.limit))
	}
	return n, err
}
