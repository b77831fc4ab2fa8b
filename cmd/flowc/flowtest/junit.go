package flowtest

import (
	"encoding/xml"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/flowlang/flow/lang"
)

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Time     string      `xml:"time,attr"` // seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"` // the folder
	Name    string        `xml:"name,attr"`
	File    string        `xml:"file,attr"`
	Time    string        `xml:"time,attr"` // seconds
	Failure *junitProblem `xml:"failure"`
	Error   *junitProblem `xml:"error"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the results in the XML that CI systems read: one suite, a test
// that failed as a failure, an archive that is no test as an error.
func WriteJUnit(w io.Writer, results []*Result) error {
	suite := junitSuite{Name: "flowc test", Tests: len(results)}
	var took time.Duration
	for _, r := range results {
		took += r.Took
		c := r.junit()
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Error != nil {
			suite.Errors++
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(took)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Result) junit() junitCase {
	path := lang.Printable(filepath.ToSlash(r.Path))
	c := junitCase{Class: filepath.ToSlash(filepath.Dir(path)), Name: strings.TrimSuffix(filepath.Base(path), testEnding), File: path, Time: seconds(r.Took)}
	switch {
	case r.Bad != nil:
		c.Error = &junitProblem{Message: lang.Printable(r.Bad.Error())}
	case len(r.Failures) > 0:
		var text strings.Builder
		for _, f := range r.Failures {
			text.WriteString(f.String())
		}
		c.Failure = &junitProblem{Message: lang.Printable(r.Failures[0].Title), Text: lang.Printable(text.String())}
	}
	return c
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
