package flowtest

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzUnderstand reads any archive. One that is a test says the same once it is
// written back.
func FuzzUnderstand(f *testing.F) {
	f.Add("-- in.jsonl --\n{\"subject\": \"a.b\", \"data\": 1}\n-- out/S/a.jsonl --\n{\"a\": 1.0}\n-- params --\na=1\n")
	f.Add("why\n-- streams --\n{\"name\": \"A\", \"retention\": \"workqueue\"} {\"name\": \"B\"}\n-- error --\nF2001\n")
	f.Add("-- flow --\r\nfrom nats\r\n-- headers/S/a/b.jsonl --\r\n{}\r\n-- error --\r\n")
	f.Add("-- in.jsonl --\n{\"subject\": \"a\", \"data_base64\": \"AA==\"}\n-- env --\nX =\n")
	f.Fuzz(func(t *testing.T, text string) {
		first, err := understand("x.txtar", txtar.Parse([]byte(text)))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.txtar:") {
				t.Fatalf("the error does not tell where: %v", err)
			}
			return
		}
		again, err := understand("x.txtar", txtar.Parse(txtar.Format(first.archive)))
		if err != nil {
			t.Fatalf("read well, and not once written back: %v", err)
		}
		if len(again.input) != len(first.input) || len(again.expectations) != len(first.expectations) || len(again.findings) != len(first.findings) {
			t.Fatalf("read %+v, and once written back %+v", first, again)
		}
	})
}

// FuzzExpectationOfItself makes an expectation of a body, which the body then
// meets, and a line of it that reads as it was written.
func FuzzExpectationOfItself(f *testing.F) {
	f.Add(`{"a": 1.50, "b": [{"c": null}, "ü\u0000"], "_flow_time": "x", "": {}}`)
	f.Add(`{"a": 1, "a": 2, "b": -0.0e+5}`)
	f.Add(`{"\ud800": "\ud800", "<": "&>"}`)
	f.Add("{\"\xff\": 1}")
	f.Fuzz(func(t *testing.T, body string) {
		found := seeBody([]byte(body))
		if found.object == nil {
			return
		}
		e, err := readExpectation(section{name: "out/S/a.jsonl", text: expectation{}.text(found, found.object)})
		if err != nil {
			t.Fatal(err)
		}
		if len(e.lines) != 1 || !e.same(0, found) {
			t.Fatalf("%q does not meet what was made of it, %+v: %v", body, e.lines, e.compare([]written{found}))
		}
		if again := e.updated([]written{found}, "as it was"); again != "as it was" {
			t.Fatalf("what was met is rewritten as %q", again)
		}
	})
}
