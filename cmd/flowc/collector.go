package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Garbage may be as large as what is in use up to slack, and a part of it beyond:
// flows of large messages would otherwise need twice what they hold.
const (
	slack        = 16 << 20
	leastPercent = 25
	mostPercent  = 100 // the runtime's own choice
)

// tuneCollector chooses anew how much garbage there may be after each collection,
// unless the environment does.
func tuneCollector() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	before := mostPercent
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	type cycle struct{ _ *int } // an object whose end each collection finds
	var next func(*cycle)
	next = func(c *cycle) {
		metrics.Read(live)
		if now := garbagePercent(live[0].Value.Uint64()); now != before {
			debug.SetGCPercent(now)
			before = now
		}
		runtime.SetFinalizer(c, next)
	}
	runtime.SetFinalizer(&cycle{}, next)
}

// garbagePercent is how large the garbage may become, in percent of the bytes in
// use, in steps of five: each change stops the program for a moment.
func garbagePercent(live uint64) int {
	percent := int(slack * 100 / max(live, 1))
	return min(max(percent/5*5, leastPercent), mostPercent)
}
