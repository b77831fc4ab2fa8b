//go:build unix

package localledger

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/connectors/connectortest"
)

// roleVariable makes a process of the test binary play a part, on the directory
// that its one argument names.
const roleVariable = "LOCALLEDGER_TEST_ROLE"

var roles = map[string]func(dir string) error{"append": appendForever, "fill": fillTheDisk}

func TestMain(m *testing.M) {
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(os.Args[1]); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// play starts a process.
func play(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program, dir)
	command.Env = append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0")
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command, bufio.NewScanner(out)
}

// appendForever appends entries, and says which version each got.
func appendForever(dir string) error {
	d, err := Open(dir, func(connectors.Notice) {})
	if err != nil {
		return err
	}
	l, err := d.OpenLedger(context.Background(), someFlow)
	if err != nil {
		return err
	}
	last, err := l.Last(context.Background(), "epoch")
	if err != nil {
		return err
	}
	for version := last.Version; ; {
		if version, err = l.Append(context.Background(), "epoch", version, entryOf(version+1)); err != nil {
			return err
		}
		fmt.Println(version)
	}
}

// entryOf differs in length from version to version, some beyond a page.
func entryOf(version uint64) []byte {
	return fmt.Appendf(nil, "%d%s", version, strings.Repeat("x", int(version*997%9000)))
}

// A process is killed while it appends, again and again.
func TestKilledWhileAppending(t *testing.T) {
	dir := t.TempDir()
	var certain uint64
	for round := range 6 {
		command, lines := play(t, "append", dir)
		for i := 0; lines.Scan(); i++ {
			version, err := strconv.ParseUint(lines.Text(), 10, 64)
			if err != nil {
				t.Fatal(lines.Text())
			}
			certain = version
			if i == 3+5*round { // what comes until the pipe ends counts too
				if err := command.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := command.Wait(); err == nil {
			t.Fatal("expected the process to be killed")
		}
		d, _ := openDirectory(t, dir)
		got := entries(t, openLedger(t, d, someFlow), "epoch")
		if n := uint64(len(got)); n < certain || n > certain+1 {
			t.Errorf("round %d: %d entries were certain, found %d", round, certain, n)
		}
		for i, entry := range got {
			if entry != string(entryOf(uint64(i+1))) {
				t.Fatalf("round %d: entry %d is not what was appended", round, i+1)
			}
		}
		d.Close()
	}
}

func TestOneProcessAtATime(t *testing.T) {
	dir := t.TempDir()
	command, lines := play(t, "append", dir)
	if !lines.Scan() {
		t.Fatal("the process appends nothing")
	}
	_, err := Open(dir, nil)
	expectError(t, err, connectors.Environment, "the ledger's directory "+dir+" is in use by another process")
	if err := command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // it was killed
	d, _ := openDirectory(t, dir)
	if _, err := Open(dir, nil); err == nil {
		t.Error("expected the directory to be refused to its own process, too")
	}
	connectortest.ExpectLast(t, openLedger(t, d, connectors.Identity{Namespace: "default", Flow: "users"}), "epoch", 0, "")
}

// fillTheDisk appends until the process may write no more, and again after that.
func fillTheDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	d, err := Open(dir, nil)
	if err != nil {
		return err
	}
	l, err := d.OpenLedger(context.Background(), someFlow)
	if err != nil {
		return err
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 4096, Max: was.Max}); err != nil {
		return err
	}
	version, err := fill(l)
	e, ok := errors.AsType[*connectors.Error](err)
	if !ok || e.Class != connectors.Transient || !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("expected a transient error, found %w", err)
	}
	fmt.Println(err)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		return err
	}
	if _, err := l.Append(context.Background(), "epoch", version, []byte("after")); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	d.Close()
	return nil
}

// fill appends entries of a thousand bytes until that fails.
func fill(l connectors.Ledger) (version uint64, err error) {
	for {
		next, err := l.Append(context.Background(), "epoch", version, fmt.Appendf(nil, "%1000d", version+1))
		if err != nil {
			return version, err
		}
		version = next
	}
}

func TestAFullDisk(t *testing.T) {
	dir := t.TempDir()
	command, lines := play(t, "fill", dir)
	lines.Scan()
	if want := "writing epoch of flow default/orders to the ledger: "; !strings.HasPrefix(lines.Text(), want) {
		t.Errorf("expected %q, found %q", want, lines.Text())
	}
	if lines.Scan() {
		t.Error(lines.Text())
	}
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
	d, n := openDirectory(t, dir)
	expectEntries(t, openLedger(t, d, someFlow), "epoch", fmt.Sprintf("%1000d", 1), fmt.Sprintf("%1000d", 2), fmt.Sprintf("%1000d", 3), "after")
	if len(n.all) != 0 {
		t.Errorf("expected nothing to mend, found %v", n.all)
	}
}
