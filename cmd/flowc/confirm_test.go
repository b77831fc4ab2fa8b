package main

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestNobodyAnswers(t *testing.T) {
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = nothing.Close() }()
	a := &app{in: nothing, errs: io.Discard}
	if err := a.confirm(false, "really?"); err == nil || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("expected a hint at --yes, found %v", err)
	}
}
