package exec

import "testing"

// AsIfElsewhere makes the runs of a test know nothing of each other's processes, as
// those on different machines do not.
func AsIfElsewhere(t *testing.T) {
	known := pidSpace
	pidSpace = func() string { return "" }
	t.Cleanup(func() { pidSpace = known })
}
