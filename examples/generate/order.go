package main

import (
	"fmt"
	"math"
	"time"
)

// order is everything about one order; events tell parts of it.
type order struct {
	number   int
	id       string
	region   string
	customer customer
	items    []item
	wrapped  bool
	currency string

	discount   discount
	discounted bool
	tags       []string
	tagged     bool
	note       string
	noted      bool
	traced     bool

	payment  payment
	shipment shipment
	arrival  time.Time
	regret   string // why it was cancelled
	fault    string // why it was returned
}

// told are the items, with their wrapping only where it was ordered.
func (o *order) told(complete bool) []item {
	items := make([]item, len(o.items))
	for i, it := range o.items {
		if !complete && !o.wrapped {
			it.Wrapping = ""
		}
		items[i] = it
	}
	return items
}

// total is in whole cents.
func (o *order) total() float64 {
	sum := 0.0
	for _, it := range o.items {
		sum += float64(it.Quantity) * it.Price
	}
	return math.Round(sum*100) / 100
}

// trace is a W3C trace context, the same trace for all events of the order.
func (o *order) trace(k kind) string {
	return fmt.Sprintf("00-%032x-%016x-01", o.number+1, (o.number+1)*16+len(k))
}
