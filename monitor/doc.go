// Package monitor is how a run of a flow is seen from outside: what a snapshot of it
// holds, the NATS service by which a run shows itself, and the client of that.
//
// It imports the NATS client and the standard library only, so that a viewer stays
// small: what snapshots are made of is the business of monitor/record.
//
// What always holds: an answer is never larger than the server lets through, and says
// what was left out of it. Message bodies are only in dead letters, and only of a run
// that shows its data. A run obeys only if it was started so that it does.
package monitor
