package nats

import (
	"testing"
	"time"

	"github.com/flowlang/flow/connectors"
	"github.com/nats-io/nats.go/jetstream"
)

func TestLossOfTheOldestUnreadMessage(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, v := range []struct {
		name     string
		keeps    keeping
		sequence uint64
		stored   time.Time
		want     time.Duration
	}{
		{"no limits", keeping{last: 100, messages: 100, bytes: 1000, at: now}, 1, ago(time.Hour), connectors.NoLoss},
		{"age", keeping{maxAge: time.Hour, last: 1, messages: 1, at: now}, 1, ago(19 * time.Minute), 41 * time.Minute},
		{"age that is over", keeping{maxAge: time.Minute, last: 1, messages: 1, at: now}, 1, ago(time.Hour), 0},
		// 100 messages since then in 10 s, and there is room for another 200.
		{"messages", keeping{maxMsgs: 301, last: 101, messages: 101, at: now}, 1, ago(10 * time.Second), 20 * time.Second},
		{"messages, looked at before", keeping{maxMsgs: 301, last: 101, messages: 101, at: ago(5 * time.Second)}, 1, ago(15 * time.Second), 15 * time.Second},
		{"messages, none since", keeping{maxMsgs: 300, last: 7, messages: 7, at: now}, 7, ago(time.Hour), connectors.NoLoss},
		{"messages, gaps", keeping{maxMsgs: 20, last: 1001, messages: 10, at: now}, 1, ago(time.Second), 10 * time.Millisecond},
		{"messages, full", keeping{maxMsgs: 101, last: 101, messages: 101, at: now}, 1, ago(time.Second), 0},
		{"bytes", keeping{maxBytes: 3010, last: 101, messages: 101, bytes: 1010, at: now}, 1, ago(10 * time.Second), 20 * time.Second},
		{"the nearest counts", keeping{maxAge: 11 * time.Second, maxMsgs: 1000, maxBytes: 3010, last: 101, messages: 101, bytes: 1010, at: now}, 1, ago(10 * time.Second), time.Second},
		{"far beyond a duration", keeping{maxMsgs: 1 << 62, last: 2, messages: 2, at: now}, 1, ago(time.Hour), connectors.NoLoss},
	} {
		t.Run(v.name, func(t *testing.T) {
			if got := v.keeps.loss(v.sequence, v.stored, now); got != v.want && (v.want == connectors.NoLoss || got.Round(time.Millisecond) != v.want) {
				t.Errorf("expected %s, found %s", v.want, got)
			}
		})
	}
}

// A stream that refuses what is new loses nothing by its size.
func TestAFullStreamThatRefusesIsNoRisk(t *testing.T) {
	info := &jetstream.StreamInfo{Config: jetstream.StreamConfig{MaxMsgs: 10, MaxBytes: 10, Discard: jetstream.DiscardNew}}
	if keepingOf(info, time.Now()).limited() {
		t.Error("expected no limits that remove")
	}
	info.Config.Discard = jetstream.DiscardOld
	if k := keepingOf(info, time.Now()); k.maxMsgs != 10 || k.maxBytes != 10 {
		t.Errorf("expected both limits, found %+v", k)
	}
	info.Config.MaxMsgs, info.Config.MaxBytes = -1, -1
	if keepingOf(info, time.Now()).limited() {
		t.Error("expected no limits where there are none")
	}
}

func TestARunWarnsOnceOfALossThatComesNearer(t *testing.T) {
	now := time.Now()
	lagging := func(loss time.Duration) connectors.StreamStats {
		return connectors.StreamStats{Oldest: now.Add(-time.Minute), Loss: loss}
	}
	for _, v := range []struct {
		name   string
		losses []time.Duration
		want   []bool
	}{
		{"near and nearer", []time.Duration{50 * time.Second, 48 * time.Second, 46 * time.Second}, []bool{false, true, false}},
		{"catching up", []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second}, []bool{false, false, false}},
		{"far away", []time.Duration{time.Hour, 59 * time.Minute}, []bool{false, false}},
		{"no limits", []time.Duration{connectors.NoLoss, connectors.NoLoss}, []bool{false, false}},
		{"at once", []time.Duration{0, 0}, []bool{false, true}},
	} {
		t.Run(v.name, func(t *testing.T) {
			var w watched
			for i, loss := range v.losses {
				if got := w.endangered(lagging(loss), now); got != v.want[i] {
					t.Errorf("look %d: expected %v, found %v", i, v.want[i], got)
				}
			}
		})
	}
}

func TestStatsOfAStreamThatLosesUnreadMessages(t *testing.T) {
	url := startEmbedded(t)
	js := client(t, url)
	config := streamOn("ORDERS", "orders.>")
	config.MaxMsgs = 40
	makeStream(t, js, config)
	fill(t, js, 10, "orders.x")
	c, said := link(t, url, nil)
	s := ordersFrom(t, c, nil)
	ack(t, read(t, s, records(10)))
	if got := s.Stats().Streams[0]; got.Stream != "ORDERS" || got.Consumer != consumerName(someFlow) || got.Certified != 10 || got.Lag != 0 || !got.Oldest.IsZero() || got.Loss != connectors.NoLoss {
		t.Errorf("caught up: found %+v", got)
	}
	fill(t, js, 28, "orders.x")
	held := read(t, s, records(20))
	eventually(t, "a loss is foreseen", func() bool {
		s.guardRetention(t.Context())
		return s.Stats().Streams[0].Loss >= 0
	})
	got := s.Stats().Streams[0]
	if stored := time.Unix(0, held.Messages()[0].Time); got.Certified != 10 || got.Lag != 28 || !got.Oldest.Equal(stored) || got.Loss > time.Minute {
		t.Errorf("behind: found %+v, the oldest was stored at %s", got, stored)
	}
	fill(t, js, 12, "orders.x")
	held.Release(t.Context()) // a failed epoch: what it held is still the oldest
	if got := s.Stats().Streams[0]; got.Oldest.IsZero() || got.Certified != 10 {
		t.Errorf("handed back: found %+v", got)
	}
	for range 3 {
		s.guardRetention(t.Context())
	}
	eventually(t, "a warning", func() bool { return said.holds("at this lag the oldest unread message is removed in 0s") })
	if n := said.count("at this lag"); n != 1 {
		t.Errorf("expected one warning, found %d: %q", n, said.all)
	}
}

// A stream without limits is never looked at, nor one that is caught up.
func TestOnlyLaggingStreamsWithLimitsAreLookedAt(t *testing.T) {
	c, _, _ := someOrders(t, 10)
	s := ordersFrom(t, c, nil)
	read(t, s, records(10))
	late := time.Now().Add(time.Hour)
	if r := s.laggard(late); r != nil {
		t.Errorf("expected no look at a stream without limits, found %s", r.stream.Stream)
	}
	s.readers[0].keeps.maxAge = time.Hour
	if s.laggard(time.Now()) != nil {
		t.Error("expected no look at what came in just now")
	}
	if s.laggard(late) == nil {
		t.Error("expected a look at a stream with a limit that lags")
	}
}
