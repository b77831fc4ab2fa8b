// Package memory keeps streams and ledgers in the memory of the process: for tests of
// flows in Go, and for programs that embed Flow.
//
// A Broker holds streams, readers' positions and ledgers, and its Kind is what flows
// are compiled with: from memory "orders" ... to memory stream "large". The contracts
// are kept as by a server: messages stay unacknowledged until their epoch is certified,
// a row that is written again is stored once, a second owner takes over. With exactly
// once an epoch is stored in one step with a marker, which no reader meets. What is lost
// is everything, with the process.
//
// It imports connectors, connectors/rows and Arrow. One mutex guards a broker; nothing
// waits with it held.
package memory
