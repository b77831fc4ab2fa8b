package lang

// runCodes are those of findings that only a run makes.
var runCodes = []Explanation{
	{
		Code: "F5002", Title: "an expression has no value for a row",
		Text: "Integers never wrap and nothing is divided by zero, so an expression can have no value for some row: an overflow, a division or modulus by zero, a conversion that is out of range. Nulls are no reason; an operation over null is null. The row is bad: the flow stops at it, or does what `on error` says.",
		Bad:  `from nats "orders.>" select { each: total % quantity } to nats stream "OUT" subject "out.v1"`,
		Good: `from nats "orders.>" select { each: quantity == 0 ? nil : total % quantity } to nats stream "OUT" subject "out.v1"`,
	},
	{
		Code: "F5003", Title: "a message is no row of its resource",
		Text: "The first message of a resource, or the flow's `schema`, fixes the columns. A member that the schema does not have, a value of another type, or a payload that is no JSON object is no row. Declare what may come, read subjects of different shape as sources of their own, or keep such messages as dead letters.",
		Good: `from nats "orders.>" schema { id: int, note: string?, ... } to nats stream "OUT" subject "out.v1" on error dead letter to nats subject "dead.<resource>"`,
	},
	{
		Code: "F5004", Title: "a sink cannot write a row",
		Text: "The message would be larger than the stream, the server or `max_in_flight` takes, what fills a hole of its subject is null, empty, or no single token, or the key of a bucket does not have the `revision` that the row expects. Every row of an epoch is checked before the first one is published.",
		Good: `from nats "orders.>" where len(country ?? "") == 2 to nats stream "OUT" subject "out.<subject>"`,
	},
}
