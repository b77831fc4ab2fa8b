package docs_test

import (
	"fmt"
	"strings"
	"testing"
)

// block is a fenced block of a page.
type block struct {
	page           string
	line           int // of the opening fence
	kind, argument string
	text           string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// blocks are the fenced blocks of a page, at least one.
func blocks(t *testing.T, page string) []block {
	t.Helper()
	var all []block
	var open *block
	for i, line := range strings.Split(read(t, page), "\n") {
		info, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			kind, argument, _ := strings.Cut(info, " ")
			open = &block{page: page, line: i + 1, kind: kind, argument: argument}
		case isFence:
			all, open = append(all, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil || len(all) == 0 {
		t.Fatalf("%s has %d blocks, and one is open: %t", page, len(all), open != nil)
	}
	return all
}
