package localledger

import (
	"errors"
	"syscall"

	"github.com/flowlang/flow/connectors"
)

// failed wraps what the operating system says. A full disk may pass; anything else
// waits for a person.
func failed(err error, format string, args ...any) error {
	class, help := connectors.Environment, "the ledger needs a directory in which flowc may read and write files"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		class, help = connectors.Transient, "make room on the disk that holds the ledger"
	}
	return connectors.Errorf(class, format+": %w", append(args, err)...).WithHelp("%s", help)
}
