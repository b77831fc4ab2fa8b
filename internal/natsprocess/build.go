package natsprocess

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// binary is the path of the server's executable, built from the module that
// go.mod names. It is kept in the user's cache, since linking it takes seconds.
var binary = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "flow-test", fmt.Sprintf("nats-server-%s-%s", server.VERSION, runtime.Version()))
	path := filepath.Join(dir, "nats-server")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, build(dir, path)
})

// build renames at the end, so that tests of several packages may build at once.
func build(dir, path string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("building the NATS server: %w", err)
	}
	temporary, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return fmt.Errorf("building the NATS server: %w", err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	made := filepath.Join(temporary, "nats-server")
	if output, err := exec.Command("go", "build", "-o", made, "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		return fmt.Errorf("building the NATS server: %w\n%s", err, output)
	}
	if err := os.Rename(made, path); err != nil {
		return fmt.Errorf("building the NATS server: %w", err)
	}
	return nil
}
