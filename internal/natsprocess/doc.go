// Package natsprocess runs a NATS server, or a cluster of three, as processes of
// their own, for tests of what happens when a server is killed.
//
// It is imported by tests only. It imports the server for nothing but its version,
// and the client to see that a cluster is ready. What always holds: a server listens on loopback, on a port that was
// free, and whatever was started is gone when the test ends.
package natsprocess
