package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/flowlang/flow/lang"
	"github.com/spf13/cobra"
)

// formatting are the flags of fmt.
type formatting struct {
	write, check, oneLine bool
}

func (a *app) fmtCommand() *cobra.Command {
	var f formatting
	cmd := &cobra.Command{
		Use:   "fmt FILE...",
		Short: "Print flows in their canonical form",
		Args:  atLeastOneFile,
		RunE: func(_ *cobra.Command, paths []string) error {
			if f.write && f.check {
				return usagef("--write and --check exclude each other")
			}
			changed := 0
			for _, path := range paths {
				differs, err := a.format(path, f)
				if err != nil {
					return err
				}
				if differs {
					changed++
				}
			}
			if f.check && changed > 0 {
				return &failure{status: statusFailed}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "write the result back to the files")
	cmd.Flags().BoolVar(&f.check, "check", false, "list the files that are not in canonical form, with status 1 if there are any")
	cmd.Flags().BoolVar(&f.oneLine, "oneline", false, "one line a flow")
	return cmd
}

// format handles one file, and says whether it is not in canonical form.
func (a *app) format(path string, f formatting) (differs bool, err error) {
	if path == stdin && f.write {
		return false, usagef("standard input cannot be written back")
	}
	source, err := a.readSource(path)
	if err != nil {
		return false, err
	}
	style := lang.Canonical
	if f.oneLine {
		style = lang.OneLine
	}
	text, findings := lang.Format(source, style)
	if err := a.show(findings); err != nil {
		return false, err
	}
	if findings.HasErrors() {
		return false, &failure{status: statusUsage}
	}
	differs = text != source.Text
	switch {
	case f.check && differs:
		_, err = fmt.Fprintln(a.out, lang.Printable(path))
	case f.check:
	case f.write && differs:
		err = rewrite(path, text)
	case !f.write:
		_, err = io.WriteString(a.out, text)
	}
	return differs, err
}

// rewrite replaces a file's content and keeps its permissions. The new content
// is complete before it takes the file's place.
func rewrite(path, text string) error {
	path, err := filepath.EvalSymlinks(path) // a link stays one
	if err != nil {
		return &failure{status: statusFailed, err: err}
	}
	info, err := os.Stat(path)
	if err != nil {
		return &failure{status: statusFailed, err: err}
	}
	temporary := path + ".flowc-new"
	if err := os.WriteFile(temporary, []byte(text), info.Mode().Perm()); err != nil {
		return &failure{status: statusFailed, err: err}
	}
	if err := os.Rename(temporary, path); err != nil {
		_ = os.Remove(temporary) // the rename's error is the one to tell
		return &failure{status: statusFailed, err: err}
	}
	return nil
}
