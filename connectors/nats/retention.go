package nats

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

// keeping is what a stream keeps, and how full it was when it was last looked at.
type keeping struct {
	maxAge   time.Duration // 0 is no limit, as for the next two
	maxMsgs  int64
	maxBytes int64
	last     uint64 // sequence
	messages uint64
	bytes    uint64
	at       time.Time // when that was so
}

// keepingOf leaves out limits at which a stream refuses what is new instead of
// removing what is old.
func keepingOf(info *jetstream.StreamInfo, at time.Time) keeping {
	k := keeping{maxAge: info.Config.MaxAge, last: info.State.LastSeq, messages: info.State.Msgs, bytes: info.State.Bytes, at: at}
	if info.Config.Discard == jetstream.DiscardOld {
		k.maxMsgs, k.maxBytes = max(info.Config.MaxMsgs, 0), max(info.Config.MaxBytes, 0)
	}
	return k
}

func (k keeping) limited() bool { return k.maxAge > 0 || k.maxMsgs > 0 || k.maxBytes > 0 }

// loss is how long it takes from now until the limits remove the message of that
// sequence, if the stream grows as it has since that one was stored.
func (k keeping) loss(sequence uint64, stored, now time.Time) time.Duration {
	left := time.Duration(math.MaxInt64)
	if k.maxAge > 0 {
		left = max(0, stored.Add(k.maxAge).Sub(now))
	}
	age := k.at.Sub(stored)
	if k.last > sequence && k.messages > 0 && age > 0 {
		grown := float64(k.last - sequence)
		// A sequence may be gone, or be another subject's: what is there bounds it.
		behind := min(grown+1, float64(k.messages))
		size := float64(k.bytes) / float64(k.messages)
		for _, room := range []float64{room(k.maxMsgs, behind), room(k.maxBytes, behind*size) / max(size, 1)} {
			if seconds := room * age.Seconds() / grown; seconds < time.Duration(math.MaxInt64).Seconds() {
				left = min(left, max(0, time.Duration(seconds*float64(time.Second))-now.Sub(k.at)))
			}
		}
	}
	if left == math.MaxInt64 {
		return connectors.NoLoss
	}
	return left
}

// room is what a limit leaves beside what is used.
func room(limit int64, used float64) float64 {
	if limit == 0 {
		return math.Inf(1)
	}
	return max(0, float64(limit)-used)
}

const (
	// lookInterval bounds how often a source looks at one of its streams.
	lookInterval = 2 * time.Second
	// lateAfter is how old what is not certified may be without a look.
	lateAfter = time.Second
	// warnInterval bounds how often it warns of the loss of one stream.
	warnInterval = 10 * time.Minute
)

// watched is what the last looks at a lagging stream found.
type watched struct {
	looked time.Time // zero before the first look
	known  bool      // loss is that of a look
	loss   time.Duration
	warned time.Time
	left   connectors.Position // the oldest of what was handed back last
}

// guardRetention looks at the stream that was not looked at for longest among those
// that remove messages and lag, and warns where what is unread is to be removed.
func (s *source) guardRetention(ctx context.Context) {
	r := s.laggard(time.Now())
	if r == nil {
		return
	}
	info, err := s.conn.streamInfo(ctx, r.stream.Stream)
	if err != nil || info == nil {
		return // reading finds out by itself, and the next look may succeed
	}
	now := time.Now()
	s.mu.Lock()
	r.keeps = keepingOf(info, now)
	stats := r.stats(now)
	warn := r.stream.watched.endangered(stats, now)
	s.mu.Unlock()
	if warn {
		s.conn.report(connectors.Notice{Warning: true, Text: fmt.Sprintf("at this lag the oldest unread message is removed in %s", roughly(stats.Loss)),
			Attributes: []any{"stream", stats.Stream, "unread", stats.Lag, "lag", roughly(now.Sub(stats.Oldest))}})
	}
}

// laggard is the reader whose stream is to be looked at next; nil if there is none.
func (s *source) laggard(now time.Time) *reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	var next *reader
	for _, r := range s.readers {
		oldest := r.oldest()
		if oldest.Sequence == 0 || !r.keeps.limited() || now.Sub(time.Unix(0, oldest.Time)) < lateAfter {
			continue
		}
		if next == nil || r.stream.watched.looked.Before(next.stream.watched.looked) {
			next = r
		}
	}
	if next != nil {
		next.stream.watched.looked = now
	}
	return next
}

// endangered says whether to warn: the loss is nearer than the lag is long, and has
// not moved away since the last look, as it does while the flow catches up.
func (w *watched) endangered(stats connectors.StreamStats, now time.Time) bool {
	closer := w.known && stats.Loss <= w.loss
	w.loss, w.known = stats.Loss, stats.Loss != connectors.NoLoss
	if !closer || !w.known || stats.Loss > now.Sub(stats.Oldest) || now.Sub(w.warned) < warnInterval {
		return false
	}
	w.warned = now
	return true
}

// oldest is the oldest message that is known and not certified; zero if there is none.
func (r *reader) oldest() connectors.Position {
	if len(r.queue) > 0 {
		return r.queue[0].position()
	}
	if left := r.stream.watched.left; left.Sequence > r.floor.Sequence && left.Incarnation == r.life {
		return left
	}
	return connectors.Position{}
}

// stats is what is known of the stream. The source's mutex is held.
func (r *reader) stats(now time.Time) connectors.StreamStats {
	stats := connectors.StreamStats{Stream: r.stream.Stream, Consumer: r.consumer, Certified: r.floor.Sequence,
		Lag: r.pending + uint64(len(r.queue)), Loss: connectors.NoLoss}
	if oldest := r.oldest(); oldest.Sequence > 0 {
		stats.Oldest = time.Unix(0, oldest.Time).UTC()
		stats.Loss = r.keeps.loss(oldest.Sequence, stats.Oldest, now)
	}
	return stats
}

// roughly is a duration in one unit or two.
func roughly(d time.Duration) string {
	switch {
	case d >= time.Hour:
		return connectors.ShortDuration(d.Round(time.Minute))
	case d >= time.Minute:
		return connectors.ShortDuration(d.Round(time.Second))
	}
	return connectors.ShortDuration(d.Round(time.Millisecond))
}
