package safejson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/flowlang/flow/lang"
)

func TestWhatIsWrittenActsOnNoTerminal(t *testing.T) {
	for _, text := range []string{"", "plain äöü <&> 😀", "two\nlines\t\r", "\x1b[2J\x1b]0;owned\x07\b\x7f", "\u009b31m", "\u202e\u200b\u2028", "\U000e0001", `\u001b "quoted"`} {
		var out bytes.Buffer
		if err := Write(&out, map[string]string{text: text}); err != nil {
			t.Fatal(err)
		}
		line, ended := strings.CutSuffix(out.String(), "\n")
		if !ended || lang.Printable(line) != line {
			t.Errorf("%q is written as %q", text, out.String())
		}
		var again map[string]string
		if err := json.Unmarshal(out.Bytes(), &again); err != nil || len(again) != 1 || again[text] != text {
			t.Errorf("%q is written as %q, and read as %q, %v", text, line, again, err)
		}
	}
}
