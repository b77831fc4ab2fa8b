// Package monitor holds what can be seen of a run from outside: a Snapshot, how it
// is made of what the executor reports, and how it is served.
//
// It imports exec and what stands below it, and the NATS client; it draws nothing.
//
// What always holds: a run never waits for whoever looks at it, and a snapshot holds
// neither message bodies nor secrets.
package monitor
