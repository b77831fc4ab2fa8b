package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestNobodyIsAsked gives a device as standard input that is no terminal.
func TestNobodyIsAsked(t *testing.T) {
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nothing.Close() }()
	var asked bytes.Buffer
	a := &app{in: nothing, errs: &asked}
	err = a.confirm(false, "really?")
	if f, ok := errors.AsType[*failure](err); !ok || f.status != statusUsage || !strings.Contains(err.Error(), "no terminal: add --yes") {
		t.Errorf("expected a hint at --yes, found %v", err)
	}
	if asked.Len() > 0 {
		t.Errorf("nobody is there, and was asked %q", asked.String())
	}
}
