package main

import "testing"

func TestGarbagePercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, 8 << 20: 100, 16 << 20: 100, 32 << 20: 50, 48 << 20: 30, 1 << 30: 25} {
		if got := garbagePercent(live); got != want {
			t.Errorf("%d MiB in use: expected %d percent, found %d", live>>20, want, got)
		}
	}
}
