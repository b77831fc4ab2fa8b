package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/flowlang/flow/connectors"
	"github.com/flowlang/flow/lang"
	"github.com/flowlang/flow/planner"
)

// maxFile is the largest flow file that is read, in bytes.
const maxFile = 16 << 20

// readSource reads a flow file; "-" is standard input.
func (a *app) readSource(path string) (*lang.Source, error) {
	text, err := a.readText(path)
	if err != nil {
		return nil, &failure{status: statusUsage, err: err}
	}
	return &lang.Source{Name: path, Text: text}, nil
}

func (a *app) readText(path string) (string, error) {
	from := a.in
	if path != "-" {
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no file %s", path)
		}
		if err != nil {
			return "", fmt.Errorf("reading the flow: %w", err)
		}
		defer file.Close()
		from = file
	}
	text, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("reading the flow: %w", err)
	}
	if len(text) > maxFile {
		return "", fmt.Errorf("%s is larger than %s; that is no flow", path, connectors.FormatSize(maxFile))
	}
	return string(text), nil
}

// load parses and plans files, and prints what was found.
func (a *app) load(paths []string) (*planner.Plan, error) {
	files, err := a.parse(paths)
	if err != nil {
		return nil, err
	}
	return a.plan(files, nil, nil)
}

func (a *app) parse(paths []string) ([]*lang.File, error) {
	var files []*lang.File
	var findings lang.Diagnostics
	for _, path := range paths {
		source, err := a.readSource(path)
		if err != nil {
			return nil, err
		}
		file, found := lang.Parse(source)
		files = append(files, file)
		findings = append(findings, found...)
	}
	return files, a.judge(findings)
}

func (a *app) plan(files []*lang.File, defaults map[string]connectors.Settings, params map[string]string) (*planner.Plan, error) {
	plan, findings := planner.Compile(files, planner.Options{Kinds: a.kinds, Namespace: a.namespace, Defaults: defaults, Params: params})
	return plan, a.judge(findings)
}

// judge prints findings, and fails if there is an error among them.
func (a *app) judge(findings lang.Diagnostics) error {
	if err := a.show(findings); err != nil {
		return err
	}
	if findings.HasErrors() {
		return &failure{status: statusUsage}
	}
	return nil
}

func (a *app) show(findings lang.Diagnostics) error {
	return lang.Render(a.errs, findings, lang.RenderOptions{Color: a.colored()})
}
