// Package natsprocess runs a NATS server as a process of its own, for tests of
// what happens when a server is killed.
//
// It is imported by tests only, and imports the server for nothing but its
// version. What always holds: a server listens on loopback, on a port that was
// free, and whatever was started is gone when the test ends.
package natsprocess
