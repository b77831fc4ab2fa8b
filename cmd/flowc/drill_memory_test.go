package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDrillMemory measures how large flowc becomes with what takes most: very many
// resources, and large messages. It is the binary that users run, without the race
// detector.
func TestDrillMemory(t *testing.T) {
	if drill(true, false) {
		t.Skip("measured by make drill")
	}
	binary := filepath.Join(t.TempDir(), "flowc")
	if output, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	subjects := make([]string, 1000)
	for i := range subjects {
		subjects[i] = fmt.Sprintf("%q", fmt.Sprintf("orders.s%d", i))
	}
	for _, load := range []struct {
		name        string
		source      string
		count, size int
		most        int // MiB
	}{
		{"1,000 resources", "[" + strings.Join(subjects, ", ") + "]", 50_000, 20, 100},
		{"messages of 100 kB", `"orders.>"`, 3_000, 100_000, 130},
		{"small messages", `"orders.>"`, 200_000, 20, 60},
	} {
		t.Run(load.name, func(t *testing.T) {
			w := newWorld(t)
			w.fill(load.count, load.size, len(subjects))
			file := writeFile(t, "orders.flow", fmt.Sprintf(`from nats %s to nats stream "OUT" subject "out.v1"`, load.source))
			begun := time.Now()
			peak := peakOf(t, exec.Command(binary, "run", "--server", w.server.URL(), "--until", "caught-up", file))
			took := time.Since(begun)
			if got := w.stored("OUT"); got != load.count {
				t.Errorf("expected %d messages, found %d", load.count, got)
			}
			t.Logf("%s: %d MiB at most, %d messages a second", load.name, peak, int(float64(load.count)/took.Seconds()))
			if peak > load.most {
				t.Errorf("%s: expected at most %d MiB, found %d", load.name, load.most, peak)
			}
		})
	}
}

// fill stores messages with some text of a size, in turn on so many subjects.
func (w *world) fill(n, size, subjects int) {
	w.t.Helper()
	text := strings.Repeat("x", size)
	for i := range n {
		w.send(fmt.Sprintf("orders.s%d", i%subjects), fmt.Appendf(nil, `{"id":%d,"amount":%d.5,"text":%q}`, i+1, i%1000, text))
	}
	w.acknowledged()
}

// peakOf runs a command and returns the most memory that it had in use, in MiB. What
// the system tells after its end would count its parent's memory too.
func peakOf(t *testing.T, command *exec.Cmd) int {
	t.Helper()
	var errs output
	command.Stderr = &errs
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	peak, done := 0, make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
				peak = max(peak, highWater(command.Process.Pid))
			}
		}
	})
	err := command.Wait()
	close(done)
	watch.Wait()
	if err != nil || peak == 0 {
		t.Fatalf("%v, %d MiB\n%s", err, peak, errs.String())
	}
	return peak
}

// highWater is the most memory that a process ever had, in MiB; 0 if it is gone.
func highWater(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, found := strings.Cut(string(status), "VmHWM:")
	if !found {
		return 0
	}
	kib, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		return 0
	}
	return kib / 1024
}
