package nats

import (
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
)

// heartbeat tells the server, at a third of the ack wait, that everything which
// was delivered is still being worked on. It runs beside whatever blocks.
type heartbeat struct {
	quit chan struct{}
	done sync.WaitGroup
}

func startHeartbeat(s *source) *heartbeat {
	h := &heartbeat{quit: make(chan struct{})}
	h.done.Go(func() {
		tick := time.NewTicker(s.ackWait / 3)
		defer tick.Stop()
		for {
			select {
			case <-h.quit:
				return
			case <-tick.C:
				s.extend()
			}
		}
	})
	return h
}

func (h *heartbeat) stop() {
	close(h.quit)
	h.done.Wait()
}

// extend sends one in-progress acknowledgement for each message in hand. What is
// lost here shows as a redelivery, which take drops.
func (s *source) extend() {
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
