package nats

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/internal/natsdial"
	natsgo "github.com/nats-io/nats.go"
)

// dialWithin is natsdial.Dial that a cancelled context ends; the client knows only time-outs.
func dialWithin(ctx context.Context, s connectors.Settings, more ...natsgo.Option) (*natsgo.Conn, connectors.Settings, error) {
	type dialed struct {
		nc  *natsgo.Conn
		s   connectors.Settings
		err error
	}
	done := make(chan dialed, 1)
	go func() {
		nc, s, err := natsdial.Dial(s, more...)
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

// Dial connects as Kind's Open does, for what is no connector's business. The error
// says where to, why not, and what to do.
func Dial(ctx context.Context, name string, s connectors.Settings, more ...natsgo.Option) (*natsgo.Conn, error) {
	nc, _, err := dialWithin(ctx, s, more...)
	if err != nil {
		return nil, (&connection{name: name, settings: s}).dialError(err)
	}
	return nc, nil
}
