package nats

import (
	"context"
	"slices"
	"time"
)

const (
	// quietAfter is how long nothing comes in before the consumer is asked whether it
	// is paused: a paused one answers pulls as one that has nothing.
	quietAfter = 3 * time.Second
	// pausesAtOnce bounds how many consumers are asked at each look.
	pausesAtOnce = 5
)

// guardPauses ends reading through a consumer that somebody has paused. With many idle
// streams they take turns.
func (s *source) guardPauses(ctx context.Context) {
	for _, r := range s.hearingNothing(time.Now()) {
		info, err := s.conn.consumerInfo(ctx, r.stream.Stream, r.consumer)
		if err != nil || info == nil {
			continue // reading finds out by itself
		}
		if err := notPaused(r.stream, info); err != nil {
			s.mu.Lock()
			r.fault = err
			s.mu.Unlock()
			s.signal()
			return
		}
	}
}

// hearingNothing are the readers that wait for messages and have got none for a while, those
// first whose consumers were asked longest ago.
func (s *source) hearingNothing(now time.Time) []*reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*reader
	for _, r := range s.readers {
		if r.pull != nil && len(r.queue) == 0 && now.Sub(r.came) > quietAfter && now.Sub(r.looked) > quietAfter {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *reader) int { return a.looked.Compare(b.looked) })
	all = all[:min(len(all), pausesAtOnce)]
	for _, r := range all {
		r.looked = now
	}
	return all
}
