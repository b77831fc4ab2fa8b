// Package connectortest is the suite that every connector passes. It holds what the
// comments of package connectors promise: the order of calls, who owns what and for
// how long, that nothing is acknowledged before Ack, that bad rows are found before
// anything is sent, and what failures, stops and cancellations leave behind.
//
// A connector's own test calls Run with a World, and Ledger with its ledgers; whatever
// is particular to the system it tests beside that.
//
// It imports connectors, Arrow and testing, and asks the system only through the
// contracts and the functions of the World.
package connectortest
