package flowtest

import (
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestJUnit(t *testing.T) {
	results := []*Result{
		{Path: "flows/a.txtar", Took: 120 * time.Millisecond},
		{Path: "flows/a.late.txtar", Took: 80 * time.Millisecond, Failures: []Failure{
			{Title: "stream OUT, subject out.<x>", Lines: []string{"message 1: not expected", "  found    {\"a\":\"\x1b[31m]]>\x00\"}"}},
			{Title: "stream B, subject b"},
		}},
		{Path: "b.txtar", Bad: errors.New("b.txtar:3: unknown section <parms>")},
	}
	var b strings.Builder
	if err := WriteJUnit(&b, results); err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/junit.xml", b.String())
	var suite junitSuite
	if err := xml.Unmarshal([]byte(b.String()), &suite); err != nil {
		t.Fatal(err)
	}
	if suite.Tests != 3 || suite.Failures != 1 || suite.Errors != 1 || len(suite.Cases) != 3 {
		t.Errorf("expected 3 tests, 1 failure and 1 error, found %+v", suite)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestJUnitTellsThatItCannotWrite(t *testing.T) {
	if err := WriteJUnit(brokenWriter{}, nil); err == nil {
		t.Error("expected the writer's error, found none")
	}
}
