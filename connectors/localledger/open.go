package localledger

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/flowlang/flow/connectors"
)

// load reads the chain's file, if there is one and it is not read yet.
func (c *chain) load() error {
	if c.unusable != nil || c.file != nil {
		return c.unusable
	}
	info, err := os.Stat(c.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return failed(err, "looking for the ledger's file for %s", c.name)
	case !info.Mode().IsRegular(): // opening a pipe would wait for its other end
		return connectors.Errorf(connectors.Environment, "%s, which should hold %s of the ledger, is no file", c.path, c.name).
			WithHelp("move it away")
	}
	file, err := os.OpenFile(c.path, os.O_RDWR, 0)
	if err != nil {
		return failed(err, "opening the ledger's file for %s", c.name)
	}
	found, err := c.read(file)
	if err != nil {
		file.Close()
		return err
	}
	c.file, c.contents = file, found
	return nil
}

// read reads a file, and cuts off an append that was not finished.
func (c *chain) read(file *os.File) (contents, error) {
	info, err := file.Stat()
	if err != nil {
		return contents{}, failed(err, "looking at the ledger's file for %s", c.name)
	}
	found, err := scan(file, info.Size(), c.key)
	if err != nil {
		return contents{}, c.unreadable(err)
	}
	if cut := info.Size() - found.end; cut > 0 {
		if err := file.Truncate(found.end); err != nil {
			return contents{}, failed(err, "cutting off an unfinished entry of %s", c.name)
		}
		c.report(connectors.Notice{
			Warning: true, Text: "the last write to the ledger was not finished, and is cut off",
			Attributes: []any{"file", c.path, "bytes", cut, "newest entry", len(found.offsets)},
		})
	}
	// A process that was killed may have written what it did not live to sync.
	if err := errors.Join(file.Sync(), syncDirectory(filepath.Dir(c.path))); err != nil {
		return contents{}, failed(err, "writing %s to the disk", c.name)
	}
	return found, nil
}

// unreadable says which file scan could not read, and why.
func (c *chain) unreadable(err error) error {
	if d, ok := errors.AsType[*damage](err); ok {
		return c.damaged(d)
	}
	if e, ok := errors.AsType[*connectors.Error](err); ok {
		return fmt.Errorf("the ledger's file %s, which holds %s: %w", c.path, c.name, e)
	}
	return failed(err, "reading the ledger's file for %s", c.name)
}

// create makes a file without entries. It gets its name when its contents are on the
// disk, so that a file under that name is never half made; load syncs the name.
func (c *chain) create() error {
	draft := c.path + ".new"
	if err := os.Remove(draft); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := writeDraft(draft, appendFrame(preamble(), 0, []byte(c.key))); err != nil {
		return err
	}
	return os.Rename(draft, c.path)
}

func writeDraft(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}
