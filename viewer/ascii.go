package viewer

import (
	"fmt"
	"strings"
)

var asciiFor = map[rune]string{'…': "~", '─': "-", '▲': "^", '▼': "v", '·': ".", '│': "|"}

// toASCII writes whatever is not ASCII as an escape, or as what stands for it.
func toASCII(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case asciiFor[r] != "":
			b.WriteString(asciiFor[r])
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
