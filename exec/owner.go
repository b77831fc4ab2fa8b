package exec

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Owner is a process that runs, or ran, a flow.
type Owner struct {
	ID      string    `json:"id"` // unique to one run
	Host    string    `json:"host"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	// Space is where PID names one process: two containers of one host name have a
	// process 1 each. Empty if it is not known.
	Space string `json:"space,omitempty"`
}

// String is for a sentence.
func (o Owner) String() string { return fmt.Sprintf("process %d on host %s", o.PID, o.Host) }

// running are the IDs of the owners that are runs of this process.
var running sync.Map

// newOwner is the owner of a run of this process, until it is over.
func newOwner() (o Owner, over func()) {
	o = thisProcess()
	running.Store(o.ID, true)
	return o, func() { running.Delete(o.ID) }
}

func thisProcess() Owner {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return Owner{ID: rand.Text(), Host: host, PID: os.Getpid(), Started: time.Now().UTC(), Space: pidSpace()}
}

// pidSpace is the boot and the namespace of processes that this one belongs to, as
// Linux tells them; empty elsewhere.
var pidSpace = sync.OnceValue(func() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + namespace
})

// gone says whether the owner's run is certainly over: what this process can tell of
// itself and of those beside it. Of any other owner only the source can.
func (o Owner) gone() bool {
	if o.Space == "" || o.Space != pidSpace() {
		return false
	}
	if o.PID == os.Getpid() {
		_, runs := running.Load(o.ID)
		return !runs
	}
	process, err := os.FindProcess(o.PID)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	return errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
