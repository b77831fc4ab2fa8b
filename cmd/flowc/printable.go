package main

import (
	"io"
	"strings"

	"github.com/flowlang/flow/lang"
)

// printableWriter escapes whatever would act on a terminal; lines stay lines.
type printableWriter struct{ to io.Writer }

func (w printableWriter) Write(text []byte) (int, error) {
	lines := strings.SplitAfter(string(text), "\n")
	for i, l := range lines {
		body, ended := strings.CutSuffix(l, "\n")
		lines[i] = lang.Printable(body)
		if ended {
			lines[i] += "\n"
		}
	}
	if _, err := io.WriteString(w.to, strings.Join(lines, "")); err != nil {
		return 0, err
	}
	return len(text), nil
}
