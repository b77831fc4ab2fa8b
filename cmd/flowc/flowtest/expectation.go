package flowtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flowlang/flow/lang"
)

// place is where messages end up.
type place struct{ stream, subject string }

func (p place) String() string { return fmt.Sprintf("stream %s, subject %s", p.stream, p.subject) }

// expectation is what a section says about the messages of one place, or about
// all dead letters.
type expectation struct {
	section string
	aspect  aspect
	place   place // of bodies and headers
	lines   []expectedLine
}

// aspect is the part of messages that an expectation is about.
type aspect uint8

const (
	bodies aspect = iota
	headers
	letters // all of a dead letter
)

// expectedLine is one message.
type expectedLine struct {
	text   string
	object map[string]any
	line   int // of the archive
}

// readExpectation reads a section whose name is none of the fixed ones.
func readExpectation(s section) (expectation, error) {
	e := expectation{section: s.name}
	rest, output := strings.CutPrefix(s.name, outputPrefix)
	if !output {
		var ok bool
		if rest, ok = strings.CutPrefix(s.name, headerPrefix); !ok {
			return e, unknownSection(s)
		}
		e.aspect = headers
	}
	rest, ended := strings.CutSuffix(rest, linesEnding)
	stream, subject, divided := strings.Cut(rest, "/")
	if !ended || !divided || stream == "" || subject == "" {
		prefix, _, _ := strings.Cut(s.name, "/")
		return e, s.errorf(-1, "expected a section %s/STREAM/SUBJECT%s, found %s", prefix, linesEnding, s.name)
	}
	e.place = place{stream, subject}
	return e, e.read(s)
}

// readLetters reads the section of dead letters.
func readLetters(s section) (expectation, error) {
	e := expectation{section: s.name, aspect: letters}
	if err := e.read(s); err != nil {
		return e, err
	}
	for _, line := range e.lines {
		for name := range line.object {
			if !slices.Contains(letterMembers, name) {
				return e, s.errorf(line.line-s.line, "a dead letter has %s, found %q", strings.Join(letterMembers, ", "), name)
			}
		}
	}
	return e, nil
}

var letterMembers = []string{"subject", "headers", "data", "data_base64"}

func (e *expectation) read(s section) error {
	texts, numbers := s.lines()
	for i, text := range texts {
		object, err := decodeObject([]byte(text))
		if err != nil {
			return s.errorf(numbers[i], "expected a message as one JSON object on the line: %w", err)
		}
		e.lines = append(e.lines, expectedLine{text: text, object: object, line: s.line + numbers[i]})
	}
	return nil
}

func unknownSection(s section) error {
	known := []string{inputSection, flowSection, paramsSection, envSection, streamsSection, deadSection, errorSection}
	meant := ""
	if nearest, ok := lang.Nearest(s.name, known); ok {
		meant = fmt.Sprintf("; did you mean %s?", nearest)
	}
	return s.errorf(-1, "unknown section %s%s (there are %s, %sSTREAM/SUBJECT%s and %sSTREAM/SUBJECT%s)", s.name, meant,
		strings.Join(known, ", "), outputPrefix, linesEnding, headerPrefix, linesEnding)
}

// decodeObject reads one JSON object and keeps its numbers as they are written.
func decodeObject(text []byte) (map[string]any, error) {
	value, err := decodeValue(text)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("found %s", clip(encode(value)))
	}
	return object, nil
}

func decodeValue(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("found more behind it")
	}
	return value, nil
}
