package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be flowc too, as a process of its own, for the
// scripts and for what gets killed. It is on the tests' PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"flowc": main})
}
