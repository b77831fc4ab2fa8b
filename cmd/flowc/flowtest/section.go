package flowtest

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/tools/txtar"
)

// The sections that have fixed names, and the beginnings and the end of the others.
const (
	inputSection   = "in.jsonl"
	flowSection    = "flow"
	paramsSection  = "params"
	envSection     = "env"
	streamsSection = "streams"
	deadSection    = "dead.jsonl"
	errorSection   = "error"

	outputPrefix = "out/"
	headerPrefix = "headers/"
	linesEnding  = ".jsonl"
)

// maxFile is the largest archive or flow that is read, in bytes.
const maxFile = 16 << 20

// section is one section of an archive.
type section struct {
	path string // of the archive
	name string
	text string
	line int // of the archive, where the text begins
}

// errorf is an error about a line of the section, counted from 0.
func (s section) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", s.path, s.line+line, fmt.Errorf(format, args...))
}

// lines are the section's lines that hold something, and where they stand in it.
func (s section) lines() (texts []string, numbers []int) {
	number := 0
	for text := range strings.Lines(s.text) {
		if text = strings.TrimSpace(text); text != "" {
			texts = append(texts, text)
			numbers = append(numbers, number)
		}
		number++
	}
	return texts, numbers
}

func readArchive(path string) (*txtar.Archive, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return txtar.Parse([]byte(text)), nil
}

// readSections reads an archive into its sections.
func readSections(path string) ([]section, error) {
	archive, err := readArchive(path)
	if err != nil {
		return nil, err
	}
	return sectionsOf(path, archive), nil
}

func sectionsOf(path string, archive *txtar.Archive) []section {
	line := 1 + strings.Count(string(archive.Comment), "\n")
	sections := make([]section, len(archive.Files))
	for i, f := range archive.Files {
		line++ // the marker
		sections[i] = section{path: path, name: f.Name, text: string(f.Data), line: line}
		line += strings.Count(string(f.Data), "\n")
	}
	return sections
}

func readFile(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading a test: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", fmt.Errorf("reading a test: %w", err)
	}
	if len(text) > maxFile {
		return "", fmt.Errorf("%s is larger than %d MiB", path, maxFile>>20)
	}
	return string(text), nil
}
