package localledger

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/flowlang/flow/connectors"
)

const (
	extension = ".chain"
	// longestName leaves room for what is added to a name, where file systems take
	// 255 bytes.
	longestName = 200
	// shortened is how much of a longer name stays readable.
	shortened = 100
)

// chainKey names a chain of a flow among all chains. Different chains have
// different keys, on a file system that ignores case too.
func chainKey(flow connectors.Identity, chain string) string {
	return escape(flow.Namespace) + "+" + escape(flow.Flow) + "+" + escape(chain)
}

// escape keeps lower-case letters, digits, '_', '-' and '.', and writes every
// other byte as '%' and two digits.
func escape(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// fileName is the name of the file for a key. The sum in a shortened name is set
// off by a character that no key has.
func fileName(key string) string {
	if len(key) <= longestName {
		return key + extension
	}
	return fmt.Sprintf("%s~%x%s", key[:shortened], sha256.Sum256([]byte(key)), extension)
}
