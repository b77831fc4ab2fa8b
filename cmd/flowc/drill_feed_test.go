package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// feedInterval keeps the feed from being the only thing that the machine does.
const feedInterval = 2 * time.Millisecond

// feed publishes records, one after the other: each is tried until it is stored, and
// its message id keeps a second try from storing it twice.
type feed struct {
	t      *testing.T
	stored atomic.Int64
	cancel context.CancelFunc
	done   chan struct{}
}

// startFeed publishes {"id":1, ...}, {"id":2, ...} and so on to orders.a.
func startFeed(t *testing.T, url string) *feed {
	t.Helper()
	w := connect(t, url)
	ctx, cancel := context.WithCancel(t.Context())
	f := &feed{t: t, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		pace := time.NewTicker(feedInterval)
		defer pace.Stop()
		for ctx.Err() == nil {
			<-pace.C
			f.publish(w.js, int(f.stored.Load())+1)
			f.stored.Add(1)
		}
	}()
	t.Cleanup(func() { f.end() })
	return f
}

// publish does not end before the record is stored: how many there are must be known.
func (f *feed) publish(js jetstream.JetStream, id int) {
	body := fmt.Appendf(nil, `{"id":%d,"note":"order number %d"}`, id, id)
	for {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_, err := js.Publish(ctx, "orders.a", body, jetstream.WithMsgID(fmt.Sprint(id)))
		cancel()
		if err == nil {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-f.t.Context().Done():
			return
		}
	}
}

// reaches waits until n records are stored.
func (f *feed) reaches(n int) {
	f.t.Helper()
	within(f.t, 10*time.Minute, fmt.Sprintf("%d records are stored", n), func() bool { return f.stored.Load() >= int64(n) })
}

// end stops, and returns how many records there are.
func (f *feed) end() int {
	f.cancel()
	<-f.done
	return int(f.stored.Load())
}
