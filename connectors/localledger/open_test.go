package localledger

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
)

var someEntries = []string{"claim", `{"epoch":1}`, "", `{"epoch":2,"rows":1000}`}

// A file that ends at any byte holds what was whole before it.
func TestEveryTruncation(t *testing.T) {
	whole := someFile(epochKey, someEntries...)
	named := len(someFile(epochKey))
	for size := range len(whole) + 1 {
		dir := t.TempDir()
		writeFile(t, epochFile(dir), whole[:size])
		d, n := openDirectory(t, dir)
		l := openLedger(t, d, someFlow)
		if size < named {
			_, err := l.Last(t.Context(), "epoch")
			expectError(t, err, connectors.Permanent, epochFile(dir), "is damaged: at byte ")
			continue
		}
		kept := 0
		for kept < len(someEntries) && len(someFile(epochKey, someEntries[:kept+1]...)) <= size {
			kept++
		}
		expectEntries(t, l, "epoch", someEntries[:kept]...)
		end := len(someFile(epochKey, someEntries[:kept]...))
		if cut := end < size; (len(n.all) == 1) != cut || cut && !slices.Equal(n.all[0].Attributes, []any{"file", epochFile(dir), "bytes", int64(size - end), "newest entry", kept}) {
			t.Errorf("cut at %d of %d: found the notices %v", size, len(whole), n.all)
		}
		connectortest.Append(t, l, "epoch", uint64(kept), "next")
		if got := readFile(t, epochFile(dir)); !bytes.Equal(got, someFile(epochKey, append(slices.Clone(someEntries[:kept]), "next")...)) {
			t.Errorf("cut at %d: the file holds %q", size, got)
		}
	}
}

// A changed byte is found, wherever it is: only the last entry may go, since it
// looks like a write that was not finished.
func TestEveryChangedByte(t *testing.T) {
	whole := someFile(epochKey, someEntries...)
	last := len(someFile(epochKey, someEntries[:len(someEntries)-1]...))
	for i := range whole {
		changed := bytes.Clone(whole)
		changed[i] ^= 0x40
		dir := t.TempDir()
		writeFile(t, epochFile(dir), changed)
		d, n := openDirectory(t, dir)
		l := openLedger(t, d, someFlow)
		if i >= last {
			expectEntries(t, l, "epoch", someEntries[:len(someEntries)-1]...)
			if len(n.all) != 1 || !n.all[0].Warning {
				t.Errorf("byte %d: expected a warning, found %v", i, n.all)
			}
			continue
		}
		if _, err := l.Last(t.Context(), "epoch"); err == nil {
			t.Errorf("byte %d: expected an error", i)
		}
		if !bytes.Equal(readFile(t, epochFile(dir)), changed) {
			t.Errorf("byte %d: a damaged file was changed", i)
		}
	}
}

func TestTails(t *testing.T) {
	whole := someFile(epochKey, "claim")
	for name, tail := range map[string][]byte{
		"zeros":         make([]byte, 5000),
		"rubbish":       bytes.Repeat([]byte{0xa5}, 100),
		"an old frame":  appendFrame([]byte{0}, 1, []byte("claim")),
		"no sum":        append(appendFrame(nil, 2, []byte("certificate"))[:headSize+11], 0, 0, 0, 0),
		"a far version": appendFrame([]byte{0}, 1000, []byte("certificate")),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, epochFile(dir), slices.Concat(whole, tail))
			d, n := openDirectory(t, dir)
			expectEntries(t, openLedger(t, d, someFlow), "epoch", "claim")
			if len(n.all) != 1 || !bytes.Equal(readFile(t, epochFile(dir)), whole) {
				t.Errorf("expected the tail to be cut off with one notice, found %v", n.all)
			}
		})
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	frame := func(version uint64) []byte { return appendFrame(nil, version, []byte("x")) }
	broken := appendFrame(nil, 2, []byte("certificate"))
	broken[headSize]++
	newer := someFile(epochKey, "claim")
	newer[len(magic)] = format + 1
	for _, c := range []struct {
		name  string
		data  []byte
		class connectors.Class
		text  string
	}{
		{"empty", nil, connectors.Permanent, "is damaged: at byte 0 it ends after 0 bytes, before it says what it is"},
		{"another file", []byte("from nats \"orders.>\""), connectors.Permanent, "is damaged: at byte 0 it does not begin as a ledger's file does"},
		{"format 0", slices.Concat([]byte(magic), make([]byte, 4)), connectors.Permanent, "is damaged: at byte 12 it has format 0"},
		{"newer", newer, connectors.Environment, "which holds epoch of flow default/orders: it has format 2, and this flowc knows up to 1"},
		{"another chain", someFile("default+orders+spec"), connectors.Permanent, `at byte 16 it says that it holds "default+orders+spec", not "default+orders+epoch"`},
		{"no name", preamble(), connectors.Permanent, "at byte 16 the name of its chain cannot be read"},
		{"missing entry", slices.Concat(someFile(epochKey, "claim"), frame(3)), connectors.Permanent, "at byte 81 entry 3 is where entry 2 should be"},
		{"entry twice", slices.Concat(someFile(epochKey, "claim"), frame(1)), connectors.Permanent, "at byte 81 entry 1 is where entry 2 should be"},
		{"broken entry", slices.Concat(someFile(epochKey, "claim"), broken, frame(3)), connectors.Permanent, "at byte 81 entry 2 cannot be read, and entry 3 follows it"},
		{"hole", slices.Concat(someFile(epochKey, "claim"), make([]byte, 4096), frame(4)), connectors.Permanent, "at byte 81 entry 2 cannot be read, and entry 4 follows it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFile(t, epochFile(dir), c.data)
			d, _ := openDirectory(t, dir)
			l := openLedger(t, d, someFlow)
			_, err := l.Last(t.Context(), "epoch")
			expectError(t, err, c.class, epochFile(dir), c.text)
			_, err = l.Append(t.Context(), "epoch", 0, []byte("x"))
			expectError(t, err, c.class, c.text)
			if !bytes.Equal(readFile(t, epochFile(dir)), c.data) {
				t.Error("the file was changed")
			}
		})
	}
}

// More than an entry can have is no unfinished append, however it looks. The file
// takes no room, since most of it was never written.
func TestATailThatIsTooLong(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, epochFile(dir), someFile(epochKey, "claim"))
	if err := os.Truncate(epochFile(dir), 1<<40); err != nil {
		t.Skip("this file system has no files of that size:", err)
	}
	d, _ := openDirectory(t, dir)
	_, err := openLedger(t, d, someFlow).Last(t.Context(), "epoch")
	expectError(t, err, connectors.Permanent, "at byte 81 entry 2 cannot be read", "more than one entry has")
}

func TestDamageBehindTheBack(t *testing.T) {
	dir := t.TempDir()
	d, _ := openDirectory(t, dir)
	l := openLedger(t, d, someFlow)
	connectortest.Append(t, l, "epoch", 0, "claim")
	connectortest.Append(t, l, "epoch", 1, "certificate")
	data := readFile(t, epochFile(dir))
	data[len(someFile(epochKey))+headSize]++
	writeFile(t, epochFile(dir), data)
	_, err := l.At(t.Context(), "epoch", 1)
	expectError(t, err, connectors.Permanent, epochFile(dir), "at byte 56 entry 1 cannot be read any more")
}

func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(epochFile(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	d, _ := openDirectory(t, dir)
	_, err := openLedger(t, d, someFlow).Last(t.Context(), "epoch")
	expectError(t, err, connectors.Environment, epochFile(dir), "is no file")

	path := filepath.Join(dir, "file")
	writeFile(t, path, nil)
	_, err = Open(path, nil)
	expectError(t, err, connectors.Environment, path)
}

func FuzzScan(f *testing.F) {
	whole := someFile(epochKey, someEntries...)
	f.Add(whole)
	f.Add(whole[:len(whole)-3])
	f.Add(slices.Concat(whole, make([]byte, 64)))
	f.Add(someFile("another"))
	f.Add(preamble())
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := scan(bytes.NewReader(data), int64(len(data)), epochKey)
		if err != nil {
			if len(found.offsets) != 0 {
				t.Errorf("found %d entries and %v", len(found.offsets), err)
			}
			return
		}
		// What was read is what writing it gives.
		written := someFile(epochKey)
		for i, offset := range found.offsets {
			if offset != int64(len(written)) {
				t.Fatalf("entry %d is at %d, expected %d", i+1, offset, len(written))
			}
			head, _ := parseHead(data[offset:])
			written = appendFrame(written, uint64(i+1), data[offset+headSize:][:head.length])
		}
		if found.end != int64(len(written)) || !bytes.HasPrefix(data, written) {
			t.Errorf("the first %d bytes are not what was written", found.end)
		}
	})
}
