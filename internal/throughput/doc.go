// Package throughput measures flowc against a server process, side by side with what
// people write by hand and with the limits of the server itself. It has tests only,
// imports no package of this module but internal/natsprocess, and runs flowc as a
// process.
//
// What always holds: every figure is of a whole process, from its start to its end,
// and counts only if all of the messages arrived.
package throughput
