package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flowlang/flow/exec"
)

// report says how long things took, by the times of the ledger's records.
func (a *arena) report(begun time.Time, records []exec.Record) {
	a.t.Helper()
	var text strings.Builder
	rows, epochs, again := 0, 0, 0
	for _, r := range records {
		if r.Epoch == nil {
			continue
		}
		epochs++
		for _, receipt := range r.Epoch.Receipts {
			rows += receipt.Rows
			again += receipt.Duplicates
		}
	}
	if held := a.rows(); rows != held {
		a.t.Errorf("the receipts tell of %d rows, and OUT holds %d", rows, held)
	}
	fmt.Fprintf(&text, "%d records in %s: %d epochs, %d claims, %d disturbances, %d rows sent again and suppressed by the destination\n",
		a.published, time.Since(begun).Round(time.Second), epochs, claims(records), len(a.events), again)
	fmt.Fprintf(&text, "  %d deliveries came again and %d rows were sent again before anything was disturbed\n", a.again.deliveries, a.again.rows)
	waits := map[string][]time.Duration{}
	for _, e := range a.events {
		waits[e.kind] = append(waits[e.kind], e.wait(records))
	}
	for _, kind := range everyDisturbance {
		if all := waits[kind.name]; len(all) > 0 {
			slices.Sort(all)
			fmt.Fprintf(&text, "  %-29s %2d times, no certificate for %s, %s at the median, %s at most\n",
				kind.name, len(all), short(all[0]), short(all[len(all)/2]), short(all[len(all)-1]))
		}
	}
	a.t.Log(text.String())
}

func short(d time.Duration) string { return d.Round(10 * time.Millisecond).String() }

// wait is the longest time without a certificate that the event made: of a killed
// worker until another one certified.
func (e event) wait(records []exec.Record) time.Duration {
	longest, last := time.Duration(0), e.from
	for _, r := range records {
		if r.Epoch == nil || r.Written.Before(e.from) {
			continue
		}
		if e.process != 0 && r.Owner.PID == e.process {
			continue
		}
		longest = max(longest, r.Written.Sub(last))
		if last = r.Written; last.After(e.to) {
			break
		}
	}
	return longest
}
