package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"

	"github.com/flowlang/flow/lang"
)

// judgement says in JSON whether files are good, and what was found in them.
type judgement struct {
	OK          bool             `json:"ok"`
	Diagnostics lang.Diagnostics `json:"diagnostics"`
	Error       string           `json:"error,omitempty"` // that no file has a place for
}

func judge(findings lang.Diagnostics, err error) judgement {
	j := judgement{OK: err == nil && !findings.HasErrors(), Diagnostics: findings}
	if findings == nil {
		j.Diagnostics = lang.Diagnostics{}
	}
	if err != nil {
		j.Error = err.Error()
	}
	return j
}

// refuse writes why files are not good; nothing is left to be printed then.
func (a *app) refuse(j judgement) error {
	if err := a.writeJSON(j); err != nil {
		return err
	}
	return &failure{status: statusUsage}
}

// writeJSON writes one value on one line. Text stays what it is, and nothing in
// it acts on a terminal: what would is written as an escape of JSON.
func (a *app) writeJSON(value any) error {
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
	_, err := a.out.Write(out.Bytes())
	return err
}
