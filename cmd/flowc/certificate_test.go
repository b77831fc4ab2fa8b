package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/flowlang/flow/exec"
	"github.com/flowlang/flow/lang"
)

// FuzzRecordsAreShown shows whatever a ledger may hold: a line each, and nothing
// that acts on a terminal.
func FuzzRecordsAreShown(f *testing.F) {
	for _, text := range []string{
		`{}`,
		`{"kind":"claim","owner":{"host":"a\n\t\u001b[2J\u202e"},"written":"2024-05-31T10:00:00Z"}`,
		`{"kind":"certificate","epoch":{"ranges":[{"stream":"A\nB","first":1,"last":2,"records":-1}],"receipts":[{"bytes":-5,"rows":-1,"first":7}],"times_ns":{"reading":-9}}}`,
		`{"kind":"certificate","flow":"\u001b","state":{"epoch":3,"positions":[{"stream":"A","time":-9223372036854775808}],"schemas":{"a\tb":1}},"epoch":{}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var e exec.Entry
		if json.Unmarshal(text, &e) != nil {
			t.Skip()
		}
		var out bytes.Buffer
		if err := tableOf([]exec.Entry{e}).print(&out); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); lines != 2 {
			t.Errorf("expected the titles and a line, found %q", out.String())
		}
		if e.Epoch != nil {
			if err := certificate(e, nil).print(&out); err != nil {
				t.Fatal(err)
			}
		}
		if lang.Printable(out.String()) != out.String() || strings.Contains(out.String(), "\t") {
			t.Errorf("%q would act on a terminal", out.String())
		}
	})
}
