package localledger

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/flowlang/flow/connectors"
)

// chain is one chain and its file. It is safe for concurrent use.
type chain struct {
	name   string // for a person
	key    string
	path   string
	report func(connectors.Notice)

	mu sync.Mutex
	// unusable says why nothing more is read or written, once that is so.
	unusable error
	file     *os.File // nil as long as there is none
	contents
}

func (c *chain) version() uint64 { return uint64(len(c.offsets)) }

// newest is the newest entry; version 0 if there is none.
func (c *chain) newest() (connectors.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(); err != nil {
		return connectors.Entry{}, err
	}
	return connectors.Entry{Version: c.version(), Data: bytes.Clone(c.last)}, nil
}

// next is the entry behind that of a version; version 0 if there is none.
func (c *chain) next(after uint64) (connectors.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(); err != nil || after >= c.version() {
		return connectors.Entry{}, err
	}
	return c.entry(after + 1)
}

// at is the entry of a version.
func (c *chain) at(version uint64) (connectors.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(); err != nil {
		return connectors.Entry{}, err
	}
	return c.entry(version)
}

// entry takes the one of a version from the file, which is loaded.
func (c *chain) entry(version uint64) (connectors.Entry, error) {
	if version == 0 || version > c.version() {
		return connectors.Entry{}, connectors.Errorf(connectors.Permanent, "reading entry %d of %s, which has %d in %s: %w", version, c.name, c.version(), c.path, connectors.ErrNoEntry)
	}
	begin, end := c.offsets[version-1], c.end
	if version < c.version() {
		end = c.offsets[version]
	}
	frame := make([]byte, end-begin)
	if _, err := c.file.ReadAt(frame, begin); err != nil {
		return connectors.Entry{}, failed(err, "reading entry %d of %s", version, c.name)
	}
	data, sound := frameData(frame)
	if !sound {
		return connectors.Entry{}, c.damaged(&damage{begin, fmt.Sprintf("entry %d cannot be read any more", version)})
	}
	return connectors.Entry{Version: version, Data: data}, nil
}

// append adds an entry behind the one of version previous.
func (c *chain) append(previous uint64, data []byte) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(data) > maxData {
		return 0, connectors.Errorf(connectors.Permanent, "an entry for %s has %d bytes, and the ledger takes at most %d", c.name, len(data), maxData)
	}
	if err := c.load(); err != nil {
		return 0, err
	}
	switch newest := c.version(); {
	case newest > previous && bytes.Equal(c.last, data):
		return newest, nil // an append that is tried again
	case newest != previous:
		return 0, fmt.Errorf("writing %s: %w", c.name, connectors.ErrSuperseded)
	}
	if err := c.prepare(); err != nil {
		return 0, err
	}
	if err := c.write(appendFrame(nil, previous+1, data)); err != nil {
		return 0, err
	}
	c.last = bytes.Clone(data)
	return c.version(), nil
}

// prepare makes the file, or makes sure that it is still the one that was read.
func (c *chain) prepare() error {
	if c.file != nil {
		return c.unchanged()
	}
	if err := c.create(); err != nil {
		return failed(err, "making the ledger's file for %s", c.name)
	}
	return c.load()
}

// write puts a frame at the end of the file and on the disk.
func (c *chain) write(frame []byte) error {
	if _, err := c.file.WriteAt(frame, c.end); err != nil {
		if undo := c.file.Truncate(c.end); undo != nil {
			c.unusable = failed(errors.Join(err, undo), "writing %s to the ledger, and taking back what was written", c.name)
			return c.unusable
		}
		return failed(err, "writing %s to the ledger", c.name)
	}
	if err := c.file.Sync(); err != nil {
		// What is on the disk is unknown, and after a failed sync the system may
		// count as written what is not.
		c.unusable = connectors.Errorf(connectors.Environment, "writing %s to the disk: %w", c.name, err).
			WithHelp("look after the disk that holds %s, and start the flow again", c.path)
		return c.unusable
	}
	c.offsets = append(c.offsets, c.end)
	c.end += int64(len(frame))
	return nil
}

// unchanged makes sure that nobody else has moved, cut or written the file: what
// is appended to a file that has no name any more would be lost.
func (c *chain) unchanged() error {
	open, err := c.file.Stat()
	if err != nil {
		return failed(err, "looking at the ledger's file for %s", c.name)
	}
	named, err := os.Stat(c.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return failed(err, "looking at the ledger's file for %s", c.name)
	}
	if err != nil || !os.SameFile(open, named) || open.Size() != c.end {
		return connectors.Errorf(connectors.Permanent, "somebody else has changed %s, which holds %s, while it was in use", c.path, c.name).
			WithHelp("restore the file, and start the flow again")
	}
	return nil
}

func (c *chain) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unusable = errClosed
	if c.file != nil {
		c.file.Close()
	}
}

// damaged says which file is damaged, and where.
func (c *chain) damaged(d *damage) error {
	return connectors.Errorf(connectors.Permanent, "the ledger's file %s, which holds %s, is damaged: %w", c.path, c.name, d).
		WithHelp("restore the file from a copy; it was left as it is")
}
