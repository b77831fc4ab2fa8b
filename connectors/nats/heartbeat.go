package nats

import (
	"context"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
)

// ticking calls something at an interval, beside whatever blocks, until it is stopped.
type ticking struct {
	cancel context.CancelFunc
	over   context.Context
	done   sync.WaitGroup
}

// every starts one. The context of a call ends when the ticking is stopped.
func every(interval time.Duration, call func(context.Context)) *ticking {
	t := &ticking{}
	t.over, t.cancel = context.WithCancel(context.Background())
	t.done.Go(func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-t.over.Done():
				return
			case <-tick.C:
				call(t.over)
			}
		}
	})
	return t
}

func (t *ticking) stop() {
	t.cancel()
	t.done.Wait()
}

// extend tells the server, at a third of the ack wait, that everything which was
// delivered is still being worked on: one in-progress acknowledgement for each
// message in hand. What is lost here shows as a redelivery, which take drops.
func (s *source) extend(context.Context) {
	for _, m := range s.inHand() {
		_ = m.InProgress()
	}
}

func (s *source) inHand() []*natsgo.Msg {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*natsgo.Msg
	for _, r := range s.readers {
		for _, h := range r.queue {
			all = append(all, h.reply)
		}
	}
	return all
}
