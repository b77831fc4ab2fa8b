package main

import "time"

// message is one line of a seed file.
type message struct {
	Subject string            `json:"subject"`
	Headers map[string]string `json:"headers,omitempty"`
	Data    data              `json:"data"`
}

// data is an event's content. What a kind of event does not tell is missing.
type data struct {
	OrderID  string    `json:"order_id"`
	Event    string    `json:"event"`
	At       time.Time `json:"at"`
	Customer customer  `json:"customer"`
	Items    []item    `json:"items,omitempty"`
	Total    *float64  `json:"total,omitempty"`
	Currency string    `json:"currency,omitempty"`
	Discount *discount `json:"discount,omitempty"`
	Tags     []string  `json:"tags,omitempty"`
	Note     string    `json:"note,omitempty"`
	Payment  *payment  `json:"payment,omitempty"`
	Shipment *shipment `json:"shipment,omitempty"`
	Reason   string    `json:"reason,omitempty"`
}

type customer struct {
	ID      int      `json:"id"`
	Country string   `json:"country"`
	Name    string   `json:"name,omitempty"`
	Address *address `json:"address,omitempty"`
}

type address struct {
	City     string  `json:"city"`
	Postcode string  `json:"postcode"`
	Phone    *string `json:"phone"` // null where the customer gave none
}

type item struct {
	SKU      string  `json:"sku"`
	Name     string  `json:"name"`
	Quantity int     `json:"quantity"`
	Price    float64 `json:"price"`
	Wrapping string  `json:"wrapping,omitempty"`
}

type discount struct {
	Code    string `json:"code"`
	Percent int    `json:"percent"`
}

type payment struct {
	Method    string `json:"method"`
	Reference int64  `json:"reference"` // beyond 2^53, where a float would round
	Captured  bool   `json:"captured"`
}

type shipment struct {
	Carrier     string     `json:"carrier"`
	Parcels     []parcel   `json:"parcels"`
	DeliveredAt *time.Time `json:"delivered_at,omitempty"`
}

type parcel struct {
	Tracking string `json:"tracking"`
	Grams    int    `json:"grams"`
}
