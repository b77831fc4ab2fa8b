// Package connectors holds the contracts between the executor and whatever
// messages come from and go to: a Kind opens Connections, a Connection opens
// Sources, Sinks, DeadLetters and a Ledger, and is the Archive of what streams hold.
//
// It imports Arrow and the standard library only. It never imports lang: a
// connector names a setting by its key, and the planner knows where in the file
// that key stands.
//
// What always holds, whoever implements it:
//
//   - Nothing that a Source delivered is acknowledged before Delivery.Ack, and
//     the executor calls Ack only after the epoch's certificate is in the Ledger.
//   - A Sink's Apply returns nil only when the destination acknowledged every row; of
//     the sinks of a Transaction its Commit does.
//   - A Ledger's Append fails with ErrSuperseded once another owner has written.
package connectors
