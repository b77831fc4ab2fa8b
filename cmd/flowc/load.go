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

// stdin is the path by which standard input is given.
const stdin = "-"

// readSource reads a flow file, or standard input.
func (a *app) readSource(path string) (*lang.Source, error) {
	text, err := a.readText(path)
	if err != nil {
		return nil, &failure{status: statusUsage, err: err}
	}
	return &lang.Source{Name: path, Text: text}, nil
}

func (a *app) readText(path string) (string, error) {
	from := a.in
	if path != stdin {
		file, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("there is no file %s", path)
		}
		if err != nil {
			return "", fmt.Errorf("reading the flow: %w", err)
		}
		defer file.Close()
		if info, err := file.Stat(); err == nil && info.IsDir() {
			return "", fmt.Errorf("%s is a directory, and a flow is a file; the value of a flag such as --embedded follows it after `=`", path)
		}
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
	plan, findings, err := a.compile(paths)
	if err != nil {
		return nil, err
	}
	return plan, a.judge(findings)
}

// compile parses and plans files; the plan is nil if an error was found.
func (a *app) compile(paths []string) (*planner.Plan, lang.Diagnostics, error) {
	files, findings, err := a.parseAll(paths)
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	plan, found := planner.Compile(files, planner.Options{Kinds: a.kinds, Namespace: a.namespace})
	return plan, append(findings, found...), nil
}

// parse parses files, and prints what was found.
func (a *app) parse(paths []string) ([]*lang.File, error) {
	files, findings, err := a.parseAll(paths)
	if err != nil {
		return nil, err
	}
	return files, a.judge(findings)
}

func (a *app) parseAll(paths []string) ([]*lang.File, lang.Diagnostics, error) {
	var files []*lang.File
	var findings lang.Diagnostics
	for _, path := range paths {
		source, err := a.readSource(path)
		if err != nil {
			return nil, nil, err
		}
		file, found := lang.Parse(source)
		files = append(files, file)
		findings = append(findings, found...)
	}
	return files, findings, nil
}

// plan plans a run against a target, and prints what was found.
func (a *app) plan(files []*lang.File, t target, params map[string]string) (*planner.Plan, error) {
	plan, findings := a.planFor(files, t, params)
	return plan, a.judge(findings)
}

func (a *app) planFor(files []*lang.File, t target, params map[string]string) (*planner.Plan, lang.Diagnostics) {
	return planner.Compile(files, planner.Options{
		Kinds: a.kinds, Namespace: a.namespace, Params: params,
		Defaults: map[string]connectors.Settings{"nats": t.settings},
	})
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
