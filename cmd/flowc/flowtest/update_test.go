package flowtest

import (
	"slices"
	"testing"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

func TestNoUpdateWithAForeignMessage(t *testing.T) {
	path := archive(t, "-- flow --\n-- in.jsonl --\n{\"subject\": \"a\"}\n")
	loaded, err := load(path)
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Path: path, test: loaded}
	r.output = map[place][]*jetstream.RawStreamMsg{{"COPY", "a"}: {{Data: []byte("{}")}, {Data: []byte("two\nlines")}}}
	r.compare()
	const shown = "stream COPY, subject a: no messages are expected\n  message 1: not expected\n    found    {}\n  message 2: not expected\n    found    \"two\\nlines\"\n"
	if len(r.Failures) != 1 || r.Failures[0].String() != shown {
		t.Errorf("expected\n%s\nfound\n%v", shown, r.Failures)
	}
	if err := r.Update(); err == nil || err.Error() != "stream COPY, subject a holds a message that is no JSON object" {
		t.Errorf("expected a refusal, found %v", err)
	}
}

func TestLettersAreInTheOrderOfTheirOrigin(t *testing.T) {
	want := []string{"A/2", "A/10", "B/1", "B/9007199254740993"}
	letters := make([]*jetstream.RawStreamMsg, len(want))
	for i, at := range []int{3, 1, 2, 0} {
		letters[i] = &jetstream.RawStreamMsg{Header: natsgo.Header{originHeader: {want[at]}}}
	}
	slices.SortFunc(letters, byOrigin)
	for i, m := range letters {
		if got := m.Header.Get(originHeader); got != want[i] {
			t.Errorf("letter %d is %s, expected %s", i, got, want[i])
		}
	}
}

func TestBeside(t *testing.T) {
	// Five messages found and four expected: the first is alike, and so are the last two.
	const wanted, got = 2, 3
	for i, want := range []int{0, 1, -1, 2, 3} {
		at, ok := beside(i, wanted, got)
		if !ok {
			at = -1
		}
		if at != want {
			t.Errorf("beside message %d stands %d, expected %d", i, at, want)
		}
	}
}
