package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/nats"
	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/planner"
	natsgo "github.com/nats-io/nats.go"
)

// discovery lets runs be found over NATS, where each of them reads. It has links of its
// own, so that nothing which is asked for or denied there touches a flow. Whatever fails
// is one warning: a flow runs unseen, too.
type discovery struct {
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc
	dialed sync.WaitGroup

	mu    sync.Mutex
	shown map[*followed]bool
	links map[*planner.Connection]*link
}

// link is a connection for the runs of all flows that read there.
type link struct {
	once     sync.Once
	nc       *natsgo.Conn // nil if it could not be dialed
	warned   sync.Once
	services []*monitor.Service
}

func newDiscovery(log *slog.Logger) *discovery {
	ctx, cancel := context.WithCancel(context.Background())
	return &discovery{log: log, ctx: ctx, cancel: cancel, shown: map[*followed]bool{}, links: map[*planner.Connection]*link{}}
}

// show lets a run be found. It does not wait for that.
func (d *discovery) show(f *followed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shown[f] || d.ctx.Err() != nil {
		return
	}
	d.shown[f] = true
	conn := f.flow.Sources[0].Connection
	l := d.links[conn]
	if l == nil {
		l = &link{}
		d.links[conn] = l
	}
	d.dialed.Go(func() {
		l.once.Do(func() { d.dial(l, conn) })
		if l.nc != nil {
			d.serve(l, f)
		}
	})
}

func (d *discovery) dial(l *link, conn *planner.Connection) {
	settings, err := conn.Settings.Resolve(conn.Kind.Connection)
	if err == nil {
		l.nc, err = nats.Dial(d.ctx, conn.Name, settings, natsgo.ErrorHandler(func(nc *natsgo.Conn, _ *natsgo.Subscription, err error) {
			if errors.Is(err, natsgo.ErrPermissionViolation) {
				d.unseen(l, err)
				nc.Close()
			}
		}))
	}
	if err != nil && d.ctx.Err() == nil {
		d.unseen(l, err)
	}
}

func (d *discovery) serve(l *link, f *followed) {
	service, err := monitor.Serve(l.nc, f.recorder)
	switch {
	case err != nil && !l.nc.IsClosed():
		d.unseen(l, err)
	case err == nil:
		d.mu.Lock()
		defer d.mu.Unlock()
		l.services = append(l.services, service)
	}
}

// unseen warns once of why the runs of a link cannot be found.
func (d *discovery) unseen(l *link, err error) {
	l.warned.Do(func() {
		attributes := []any{"reason", err.Error()}
		if errors.Is(err, natsgo.ErrPermissionViolation) {
			attributes = append(attributes, "help", "flowc check --permissions says what that needs")
		}
		logNotice(d.log, connectors.Notice{Warning: true, Text: "flowc runs and flowtui cannot see this run; it goes on", Attributes: attributes})
	})
}

// stop takes all runs back, and ends the links.
func (d *discovery) stop() {
	d.cancel()
	d.dialed.Wait()
	for _, l := range d.links {
		for _, s := range l.services {
			s.Stop()
		}
		if l.nc != nil {
			l.nc.Close()
		}
	}
}
