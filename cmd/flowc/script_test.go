package main

import (
	"encoding/json"
	"errors"
	"flag"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/flowlang/flow/lang"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the expected output in the scripts")

// quickExit keeps the race detector from sleeping a second at each process's end.
const quickExit = "GORACE=atexit_sleep_ms=0"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, quickExit, "XDG_CONFIG_HOME="+e.WorkDir+"/config")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status, "jsonlines": jsonLines, "printable": printable,
			"server": startServer, "stream": makeStream, "publish": publishLine, "messages": showMessages,
		},
	})
}

// status N COMMAND... runs a command that must end with status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("expected status %d, found %d", want, got)
	}
}

// jsonlines FILE checks that every line is a JSON object with a time, a level
// and a message.
func jsonLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: jsonlines FILE")
	}
	text := strings.TrimSuffix(ts.ReadFile(args[0]), "\n")
	if text == "" {
		ts.Fatalf("%s is empty", args[0])
	}
	for line := range strings.SplitSeq(text, "\n") {
		var entry struct{ Time, Level, Msg string }
		if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Time == "" || entry.Level == "" || entry.Msg == "" {
			ts.Fatalf("expected a log line as a JSON object, found %q", line)
		}
	}
}

// printable FILE... checks that nothing in the files acts on a terminal.
func printable(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		text := ts.ReadFile(name)
		if clean := lang.Printable(text) == text; clean == neg {
			ts.Fatalf("%s is free of control characters: %t\n%q", name, clean, text)
		}
	}
}
