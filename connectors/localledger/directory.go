package localledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"

	"github.com/flowlang/flow/connectors"
	"github.com/gofrs/flock"
)

// lockName is the file whose lock says that the directory is in use.
const lockName = "ledger.lock"

// errClosed is the failure of whatever comes after Close.
var errClosed = errors.New("the ledger is closed")

// Directory holds the ledgers of any number of flows. It is safe for concurrent use.
type Directory struct {
	path   string // absolute
	report func(connectors.Notice)
	lock   *flock.Flock

	mu     sync.Mutex
	closed bool
	chains map[string]*chain // by key
}

// Open makes the directory where it is missing, and locks it until Close. Another
// process that has it is an Environment error. report takes what was mended, from
// any goroutine.
func Open(path string, report func(connectors.Notice)) (*Directory, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, failed(err, "finding the ledger's directory")
	}
	if err := makeDirectory(path); err != nil {
		return nil, failed(err, "making the ledger's directory")
	}
	lock := flock.New(filepath.Join(path, lockName))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, failed(err, "locking the ledger's directory")
	}
	if !locked {
		return nil, connectors.Errorf(connectors.Environment, "the ledger's directory %s is in use by another process", path).
			WithHelp("stop the other one, or give each its own directory for flows of its own")
	}
	return &Directory{path: path, report: report, lock: lock, chains: map[string]*chain{}}, nil
}

// OpenLedger is the ledger of a flow. It reads nothing yet: a file is read when its
// chain is first asked for, and made by the first append.
func (d *Directory) OpenLedger(_ context.Context, flow connectors.Identity) (connectors.Ledger, error) {
	return &ledger{directory: d, flow: flow}, nil
}

// Close lets go of the directory, and waits for appends. Ledgers fail from then on.
func (d *Directory) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, c := range d.chains {
		c.close()
	}
	_ = d.lock.Unlock() // the end of the process does the same
}

// chain is the one that guards a chain's file, whoever asks for it.
func (d *Directory) chain(flow connectors.Identity, name string) (*chain, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, errClosed
	}
	key := chainKey(flow, name)
	c := d.chains[key]
	if c == nil {
		c = &chain{
			name: name + " of flow " + flow.String(), key: key,
			path: filepath.Join(d.path, fileName(key)), report: d.report,
		}
		d.chains[key] = c
	}
	return c, nil
}

// makeDirectory makes a directory and those above it, where they are missing, durably.
func makeDirectory(path string) error {
	above := filepath.Dir(path)
	err := os.Mkdir(path, 0o755)
	if errors.Is(err, os.ErrNotExist) && above != path {
		if err := makeDirectory(above); err != nil {
			return err
		}
		err = os.Mkdir(path, 0o755)
	}
	switch {
	case errors.Is(err, os.ErrExist):
		return nil
	case err != nil:
		return err
	}
	return syncDirectory(above)
}

// syncDirectory makes the names in a directory durable.
func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
