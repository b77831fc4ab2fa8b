package exec

import "testing"

// AsIfElsewhere makes the runs of a test know nothing of each other's processes, as
// those on different machines do not.
func AsIfElsewhere(t *testing.T) {
	known := pidSpace
	pidSpace = func() string { return "" }
	t.Cleanup(func() { pidSpace = known })
}

// Ahead says whether the epoch behind the present one is read, decoded and transformed,
// and how many rows came of its first resource. It is for the run's own goroutine.
func (h *Handle) Ahead() (rows int, whole bool) {
	a := h.machine.ahead
	select {
	case err := <-a.done:
		a.done <- err
	default:
		return 0, false
	}
	if output := a.epoch.parts[0].output; output != nil {
		rows = int(output.NumRows())
	}
	return rows, true
}
