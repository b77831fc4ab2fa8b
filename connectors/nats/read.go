package nats

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/flowlang/flow/connectors"
)

// Read implements connectors.Source.
func (s *source) Read(ctx context.Context, bounds connectors.Bounds, stop <-chan struct{}) (connectors.Delivery, error) {
	budget := time.NewTimer(bounds.MaxWait)
	defer budget.Stop()
	var age <-chan time.Time // runs from the first record
	over := false
	defer s.waits(false)
	for {
		if err := s.settle(ctx, func(r *reader) bool { return r.pending == 0 }); err != nil {
			return nil, err
		}
		d, err := s.collect(bounds, over)
		if d != nil || err != nil {
			return d, err
		}
		if age == nil && bounds.MaxAge > 0 && s.anyReady() {
			timer := time.NewTimer(bounds.MaxAge)
			defer timer.Stop()
			age = timer.C
		}
		select {
		case <-s.wake:
		case <-budget.C:
			over = true
		case <-age:
			over = true
		case <-stop:
			over, stop = true, nil
		case now := <-s.watch.C:
			if err := s.look(ctx, now); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// collect returns the epoch if a bound is met or it is over; a nil interface if not yet.
func (s *source) collect(bounds connectors.Bounds, over bool) (connectors.Delivery, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.readers {
		if r.fault != nil {
			return nil, r.fault
		}
		if r.broken != "" {
			return nil, fmt.Errorf("stream %s: %s: %w", r.stream.Stream, r.broken, connectors.ErrInterrupted)
		}
	}
	if s.until && s.drained() {
		return nil, connectors.ErrDrained
	}
	r := s.turn()
	records := min(bounds.MaxRecords, s.credit(r.stream))
	full := r.ready() >= records || bounds.MaxBytes > 0 && r.bytes >= bounds.MaxBytes
	last := s.until && r.ready() > 0 && r.arrived()
	if !full && !last && !over {
		s.waits(s.quiet())
		return nil, s.askAll(bounds)
	}
	d := r.loan(records, bounds.MaxBytes)
	s.next = (slices.Index(s.readers, r) + 1) % len(s.readers)
	return d, s.askAll(bounds)
}

// quiet says whether no stream has more, as far as was heard. The mutex is held.
func (s *source) quiet() bool {
	return !slices.ContainsFunc(s.readers, func(r *reader) bool { return r.pending > 0 })
}

// waits tells whether Read waits for what is not there yet.
func (s *source) waits(idle bool) {
	if s.idle != nil && idle != s.idling {
		s.idling = idle
		s.idle(idle)
	}
}

// look finds a right that is denied to pulls or acknowledgements, which nothing
// answers, a consumer that went silent and, on the way to being caught up, messages
// that were removed instead of delivered.
func (s *source) look(ctx context.Context, now time.Time) error {
	if denied := s.conn.denied.since(s.denied); denied != nil {
		return failed(denied, "reading")
	}
	s.mu.Lock()
	for _, r := range s.readers {
		if r.silent(now) {
			r.broken = "nothing was heard of the consumer"
		}
	}
	s.mu.Unlock()
	return s.settle(ctx, func(r *reader) bool { return r.ready() == 0 && r.broken == "" })
}

// settle asks the streams of those readers, on the way to being caught up, whether
// they hold anything that is still to come: a consumer's number of pending messages
// lags behind, and does not know what was removed since.
func (s *source) settle(ctx context.Context, doubtful func(*reader) bool) error {
	if !s.until {
		return nil
	}
	for _, r := range s.readersNow() {
		s.mu.Lock()
		ask, seen := !r.arrived() && doubtful(r), r.seen
		s.mu.Unlock()
		if !ask {
			continue
		}
		next, err := s.conn.firstAfter(ctx, r.stream, seen)
		if err != nil {
			return failed(err, "looking for what is left of stream %s", r.stream.Stream)
		}
		s.mu.Lock()
		switch {
		case r.seen != seen: // it came in meanwhile
		case next == 0 || next > r.target:
			r.target = seen
		default:
			r.pending = max(r.pending, 1)
		}
		s.mu.Unlock()
	}
	return nil
}

func (s *source) readersNow() []*reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers
}

// askAll keeps a pull outstanding on every stream, so that an idle one costs no
// wait and the next epoch comes in while this one is applied.
func (s *source) askAll(bounds connectors.Bounds) error {
	for _, r := range s.readers {
		if err := r.ask(bounds.MaxRecords, bounds.MaxBytes); err != nil {
			return fmt.Errorf("stream %s: asking for messages: %w: %w", r.stream.Stream, err, connectors.ErrInterrupted)
		}
	}
	return nil
}

// turn is the reader of this epoch: the next one in turn that has something.
func (s *source) turn() *reader {
	for i := range s.readers {
		if r := s.readers[(s.next+i)%len(s.readers)]; r.ready() > 0 {
			return r
		}
	}
	return s.readers[s.next]
}

func (s *source) anyReady() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn().ready() > 0
}

// drained says whether everything that was there when the run began is loaned.
func (s *source) drained() bool {
	for _, r := range s.readers {
		if r.ready() > 0 || !r.arrived() {
			return false
		}
	}
	return true
}
