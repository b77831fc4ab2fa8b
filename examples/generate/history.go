package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// opening is when the recorded history begins.
var opening = time.Date(2026, time.March, 2, 7, 30, 0, 0, time.UTC)

// history is what happened to n orders, in the order of time. It begins with the
// return of one that was placed before.
func history(n int) []event {
	draw := dice{rand.New(rand.NewPCG(2026, 3))}
	events := []event{{kind: returned, at: opening, order: draw.order(0, opening.AddDate(0, 0, -9))}}
	at := opening
	for number := 1; number <= n; number++ {
		at = at.Add(draw.between(time.Second, 4*time.Minute))
		events = append(events, draw.life(draw.order(number, at), at)...)
	}
	slices.SortStableFunc(events, func(a, b event) int { return a.at.Compare(b.at) })
	return events
}

// dice draws what chance decides.
type dice struct{ *rand.Rand }

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func (d dice) between(low, high time.Duration) time.Duration {
	return low + time.Duration(d.Int64N(int64(high-low))).Truncate(time.Millisecond)
}

func pick[T any](d dice, from []T) T { return from[d.IntN(len(from))] }

// life is what happens to an order that is placed.
func (d dice) life(o *order, at time.Time) []event {
	events := []event{{created, at, o}}
	then := func(k kind, low, high time.Duration) {
		at = at.Add(d.between(low, high))
		events = append(events, event{k, at, o})
	}
	if d.chance(8) {
		then(cancelled, time.Minute, 6*time.Hour)
		return events
	}
	then(paid, 2*time.Second, 20*time.Minute)
	if d.chance(5) {
		then(cancelled, time.Minute, 12*time.Hour)
		return events
	}
	then(shipped, 2*time.Hour, 48*time.Hour)
	o.arrival = at.Add(d.between(20*time.Hour, 96*time.Hour))
	at = o.arrival
	events = append(events, event{delivered, at, o})
	if d.chance(6) {
		then(returned, 24*time.Hour, 240*time.Hour)
	}
	return events
}

func (d dice) order(number int, at time.Time) *order {
	home := pick(d, places)
	o := &order{
		number: number, id: fmt.Sprintf("o-%06d", 204_000+number), region: home.region, currency: home.currency,
		customer: customer{ID: 10_000 + d.IntN(4000), Country: home.country, Name: pick(d, home.names),
			Address: &address{City: home.city, Postcode: home.postcode}},
		discount: pick(d, discounts), discounted: d.chance(20),
		tags: pick(d, tags), tagged: d.chance(35), note: pick(d, notes), noted: d.chance(15),
		wrapped: d.chance(30), traced: d.chance(40), regret: pick(d, regrets), fault: pick(d, faults),
		payment: payment{Method: pick(d, methods), Reference: 9_007_199_254_740_993 + int64(number), Captured: d.chance(90)},
		arrival: at.AddDate(0, 0, 5),
	}
	if number == 0 || d.chance(60) {
		phone := fmt.Sprintf("%s %07d", home.prefix, d.IntN(10_000_000))
		o.customer.Address.Phone = &phone
	}
	for range 1 + d.IntN(3) {
		it := pick(d, goods)
		it.Quantity, it.Wrapping = 1+d.IntN(4), pick(d, wrappings)
		o.items = append(o.items, it)
	}
	o.shipment.Carrier = pick(d, home.carriers)
	for range 1 + d.IntN(2) {
		o.shipment.Parcels = append(o.shipment.Parcels, parcel{Tracking: fmt.Sprintf("%012d", d.Int64N(1e12)), Grams: 120 + d.IntN(8000)})
	}
	return o
}
