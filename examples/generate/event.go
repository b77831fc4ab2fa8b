package main

import (
	"fmt"
	"time"
)

// kind is what happened to an order.
type kind string

const (
	created   kind = "created"
	paid      kind = "paid"
	shipped   kind = "shipped"
	delivered kind = "delivered"
	cancelled kind = "cancelled"
	returned  kind = "returned"
)

// event is one thing that happened to an order.
type event struct {
	kind  kind
	at    time.Time
	order *order
}

// message tells the event. A complete one has every member that its kind may have.
func (e event) message(complete bool) message {
	o := e.order
	m := message{Subject: e.subject(), Data: data{
		OrderID: o.id, Event: string(e.kind), At: e.at,
		Customer: customer{ID: o.customer.ID, Country: o.customer.Country},
	}}
	if o.traced {
		m.Headers = map[string]string{"traceparent": o.trace(e.kind)}
	}
	switch e.kind {
	case created:
		e.tellOrder(&m.Data, complete)
	case paid:
		e.tellPayment(&m.Data)
	case shipped, delivered:
		e.tellShipment(&m.Data)
	case cancelled:
		m.Data.Reason = o.regret
	case returned:
		e.tellOrder(&m.Data, complete)
		e.tellPayment(&m.Data)
		e.tellShipment(&m.Data)
		m.Data.Reason = o.fault
	}
	return m
}

// subject names the region too where another department handles the event.
func (e event) subject() string {
	switch e.kind {
	case cancelled, returned:
		return fmt.Sprintf("orders.%s.%s", e.order.region, e.kind)
	default:
		return fmt.Sprintf("orders.%s", e.kind)
	}
}

func (e event) tellOrder(d *data, complete bool) {
	o := e.order
	d.Customer = o.customer
	d.Items = o.told(complete)
	total := o.total()
	d.Total, d.Currency = &total, o.currency
	if complete || o.discounted {
		d.Discount = &o.discount
	}
	if complete || o.tagged {
		d.Tags = o.tags
	}
	if complete || o.noted {
		d.Note = o.note
	}
}

func (e event) tellPayment(d *data) {
	total := e.order.total()
	d.Total, d.Currency = &total, e.order.currency
	d.Payment = &e.order.payment
}

func (e event) tellShipment(d *data) {
	s := e.order.shipment
	if e.kind != shipped {
		s.DeliveredAt = &e.order.arrival
	}
	d.Shipment = &s
}
