// Package safejson writes JSON that may be looked at on a terminal. It imports lang
// only. What always holds: text stays what it is, and nothing in it acts on a terminal.
package safejson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"

	"github.com/flowlang/flow/lang"
)

// Write writes one value on one line. What would act on a terminal is written as an
// escape of JSON.
func Write(to io.Writer, value any) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	var out bytes.Buffer
	for _, r := range b.String() {
		if text := string(r); r == '\n' || lang.Printable(text) == text {
			out.WriteString(text)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&out, `\u%04x`, unit)
		}
	}
	_, err := to.Write(out.Bytes())
	return err
}
