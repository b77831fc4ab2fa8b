package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestVerifyWithALocalLedger finds the certificates in a directory, and none without it.
func TestVerifyWithALocalLedger(t *testing.T) {
	w := newWorld(t)
	w.publish(20)
	file, dir := w.flow("10/1s"), filepath.Join(t.TempDir(), "ledger")
	if r := w.flowc("run", "--until", "caught-up", "--ledger", dir, file); r.status != statusDone {
		t.Fatal(r.errs)
	}
	for _, flow := range []string{"orders", file} {
		if r := w.flowc("verify", flow, "--ledger", dir); r.status != statusDone || !strings.Contains(r.out, "20 of 20 rows found") {
			t.Errorf("%s: status %d\n%s%s", flow, r.status, r.out, r.errs)
		}
	}
	if r := w.flowc("replay", file, "--epoch", "2", "--ledger", dir); r.status != statusDone || strings.Count(r.out, "\n") != 10 {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
	if r := w.flowc("verify", file); r.status != statusFailed || !strings.Contains(r.errs, "no flow has run there") {
		t.Errorf("status %d\n%s%s", r.status, r.out, r.errs)
	}
}
