package main

import (
	"context"
	"fmt"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// shop writes the demo's messages.
type shop struct {
	nc *natsgo.Conn
	n  int // messages so far
}

// A shop's day: a steady rate, a burst in the middle, and a slow phase at the end.
const (
	shopTick    = 50 * time.Millisecond
	shopDay     = 200 // ticks
	shopBurstAt = 60
	shopSlowAt  = 140
	steadyRate  = 10   // messages a tick
	burst       = 3000 // messages at once
	slowEvery   = 4    // ticks a message
	poisonEvery = 250  // messages
)

// openShop makes the stream that the shop writes to. It keeps an hour.
func openShop(ctx context.Context, nc *natsgo.Conn) (*shop, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{Name: "SHOP", Subjects: []string{"shop.>"}, MaxAge: time.Hour})
	if err != nil {
		return nil, fmt.Errorf("making the demo's stream: %w", err)
	}
	return &shop{nc: nc}, nil
}

// trade writes day after day until the context ends.
func (s *shop) trade(ctx context.Context) {
	tick := time.NewTicker(shopTick)
	defer tick.Stop()
	for hour := 0; ; hour = (hour + 1) % shopDay {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for range sales(hour) {
			if err := s.nc.PublishMsg(s.sale()); err != nil {
				return // the server has stopped
			}
		}
	}
}

// sales is how many messages a tick of the day brings.
func sales(hour int) int {
	switch {
	case hour == shopBurstAt:
		return burst
	case hour < shopSlowAt:
		return steadyRate
	case hour%slowEvery == 0:
		return 1
	}
	return 0
}

// sale is the next message. Each poisonEvery-th one is none that the flow can process:
// in turn its amount is no number, and its quantity is zero.
func (s *shop) sale() *natsgo.Msg {
	s.n++
	subject, amount, qty := "shop.orders", fmt.Sprintf("%d.5", s.n%200), 1+s.n%4
	if s.n%10 == 0 {
		subject = "shop.returns"
	}
	switch {
	case s.n%(2*poisonEvery) == 7:
		amount = `"twelve"`
	case s.n%poisonEvery == 7:
		qty, amount = 0, "12.5"
	}
	country := []string{"CH", "FR", "DE", "IT"}[s.n/3%4]
	body := fmt.Sprintf(`{"id": %d, "amount": %s, "qty": %d, "country": %q, "placed": %q}`, s.n, amount, qty, country, time.Now().UTC().Format(time.RFC3339))
	return &natsgo.Msg{Subject: subject, Data: []byte(body)}
}
