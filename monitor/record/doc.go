// Package record makes snapshots of a run out of what the executor tells and shows.
//
// It imports exec and what that imports, and monitor. What always holds: the run never
// waits for whoever looks at it, and pays for an epoch as a whole, not for a message.
package record
