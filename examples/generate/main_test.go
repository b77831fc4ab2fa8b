package main

import (
	"bytes"
	"os"
	"testing"
)

const seedFile = "../orders.jsonl"

func TestCommittedSeedIsWhatGenerateWrites(t *testing.T) {
	committed, err := os.ReadFile(seedFile)
	if err != nil {
		t.Fatal(err)
	}
	var written bytes.Buffer
	if err := write(&written); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written.Bytes(), committed) {
		t.Error("examples/orders.jsonl is out of date: go run ./examples/generate > examples/orders.jsonl")
	}
}

func TestSeedHasFiveThousandEvents(t *testing.T) {
	committed, err := os.ReadFile(seedFile)
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(committed, []byte("\n")); lines < 5000 {
		t.Errorf("examples/orders.jsonl has %d lines, expected at least 5,000", lines)
	}
}

func TestHistoryIsInOrderOfTime(t *testing.T) {
	events := history(200)
	for i := 1; i < len(events); i++ {
		if events[i].at.Before(events[i-1].at) {
			t.Fatalf("event %d (%s of %s) comes before the one that it follows", i, events[i].kind, events[i].order.id)
		}
	}
}
