package flowtest

import (
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Result is how one test ended.
type Result struct {
	Path string // of the archive
	Took time.Duration
	// Bad says why the archive is no test, and nothing ran; nil if it is one.
	Bad error
	// Failures are what was not as expected; none if the test passed.
	Failures []Failure

	test   *test
	ended  []error // with which the flows failed, or the program; none if all were caught up
	broken bool    // the test did not run to its end

	output  map[place][]*jetstream.RawStreamMsg
	letters []*jetstream.RawStreamMsg // dead ones, which are no output
}

// Passed says whether everything was as expected.
func (r *Result) Passed() bool { return r.Bad == nil && len(r.Failures) == 0 }

// Failure is one thing that was not as expected. Texts hold data as it is.
type Failure struct {
	Title string
	Lines []string
}

func (r *Result) fail(title string, lines ...string) {
	r.Failures = append(r.Failures, Failure{Title: title, Lines: lines})
}

// String is the failure as lines, those below the title indented.
func (f Failure) String() string {
	var b strings.Builder
	b.WriteString(f.Title + "\n")
	for _, line := range f.Lines {
		b.WriteString("  " + line + "\n")
	}
	return b.String()
}
