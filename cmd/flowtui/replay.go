package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/flowlang/flow/monitor"
	"github.com/flowlang/flow/viewer"
)

// replay lets flowc print what a run made of an epoch, which needs flowc and the flow's
// file; nil where they are not at hand. flowc refuses a file that is another version.
func (w *watching) replay(ctx context.Context) func(monitor.Run, uint64) *viewer.Printing {
	return func(r monitor.Run, epoch uint64) *viewer.Printing {
		flowc, err := findFlowc()
		if err != nil || filepath.Ext(r.File) != ".flow" {
			return nil
		}
		if _, err := os.Stat(r.File); err != nil {
			return nil
		}
		return &viewer.Printing{Until: ctx.Done(), Print: func(out, errs io.Writer) error {
			variables, flags := w.nats.Environment()
			args := append([]string{"replay", "--epoch", strconv.FormatUint(epoch, 10), "--namespace", r.Namespace}, flags...)
			cmd := exec.CommandContext(ctx, flowc, append(args, "--", r.File)...)
			cmd.Env = append(os.Environ(), variables...)
			cmd.Stdout, cmd.Stderr = out, errs
			return cmd.Run()
		}}
	}
}

// findFlowc looks beside flowtui, and then where commands are.
func findFlowc() (string, error) {
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), "flowc")
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	return exec.LookPath("flowc")
}
