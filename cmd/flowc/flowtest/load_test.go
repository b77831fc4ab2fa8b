package flowtest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestBadArchives loads archives that are no tests. Their errors tell the line.
func TestBadArchives(t *testing.T) {
	const in = "-- in.jsonl --\n{\"subject\": \"a.b\", \"data\": 1}\n"
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {"", ": expected a section in.jsonl with the messages that come in"},
		"no input":          {"-- out/S/a.jsonl --\n{}\n", ": expected a section in.jsonl with the messages that come in"},
		"empty input":       {"why\n\n-- in.jsonl --\n\n", ":3: in.jsonl is empty: expected a message a line, such as {\"subject\""},
		"input":             {"why\n" + in + "{\"subjekt\": \"a\"}\n", ":4: expected {\"subject\": \"...\", \"headers\": {...}, \"data\": ...}: json: unknown field \"subjekt\""},
		"input subject":     {"-- in.jsonl --\n\n{\"subject\": \"a.*\"}\n", ":3: expected a subject without wildcards and white space, found \"a.*\""},
		"unknown section":   {in + "-- parms --\n", ":3: unknown section parms; did you mean params? (there are in.jsonl, flow, params, env, streams, dead.jsonl, error, out/STREAM/SUBJECT.jsonl and headers/STREAM/SUBJECT.jsonl)"},
		"strange section":   {in + "-- whatever/it/is --\n", ":3: unknown section whatever/it/is (there are"},
		"section twice":     {in + in, ":3: the section in.jsonl is there twice"},
		"no subject":        {in + "-- out/S.jsonl --\n", ":3: expected a section out/STREAM/SUBJECT.jsonl, found out/S.jsonl"},
		"no stream":         {in + "-- headers//a.jsonl --\n", ":3: expected a section headers/STREAM/SUBJECT.jsonl, found headers//a.jsonl"},
		"no ending":         {in + "-- out/S/a.json --\n", ":3: expected a section out/STREAM/SUBJECT.jsonl, found out/S/a.json"},
		"no JSON":           {in + "-- out/S/a.jsonl --\n{}\n\nyes\n", ":6: expected a message as one JSON object on the line: invalid character 'y'"},
		"no object":         {in + "-- out/S/a.jsonl --\n[]\n", ":4: expected a message as one JSON object on the line: "},
		"null":              {in + "-- out/S/a.jsonl --\nnull\n", ":4: expected a message as one JSON object on the line: found null"},
		"two objects":       {in + "-- out/S/a.jsonl --\n{} {}\n", ":4: expected a message as one JSON object on the line: found more behind it"},
		"dead letter":       {in + "-- dead.jsonl --\n\n{\"subject\": \"a\", \"body\": 1}\n", ":5: a dead letter has subject, headers, data, data_base64, found \"body\""},
		"assignment":        {in + "-- params --\na=1\nb 2\n", ":5: expected NAME=VALUE in the section params, found \"b 2\""},
		"assignment name":   {in + "-- env --\n=1\n", ":4: expected NAME=VALUE in the section env, found \"=1\""},
		"assigned twice":    {in + "-- env --\nA=1\nA=2\n", ":5: A has a value already"},
		"stream":            {in + "-- streams --\n{\"name\": \"A\"}\n{\"nam\": \"B\"}\n", ": unknown field \"nam\""},
		"stream line":       {in + "-- streams --\n{\"name\": \"A\"}\n\n[]\n", ":6: expected the configuration of a stream, such as {\"name\": \"ORDERS\", \"subjects\": [\"orders.>\"]}"},
		"stream has a name": {in + "-- streams --\n{}\n", ":4: expected the configuration of a stream, such as {\"name\": \"ORDERS\", \"subjects\": [\"orders.>\"]}: the stream has no name"},
		"no program":        {in, ": there is no case.flow beside it, and it has no section flow"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "case.txtar")
			write(t, path, c.text)
			r := Run(t.Context(), path)
			if r.Bad == nil || !strings.HasPrefix(r.Bad.Error(), path+c.want) && !strings.HasSuffix(r.Bad.Error(), c.want) {
				t.Errorf("expected %s%s\nfound    %v", path, c.want, r.Bad)
			}
			if err := r.Update(); err == nil {
				t.Error("an archive that is no test was updated")
			}
			if after := read(t, path); after != c.text {
				t.Errorf("the archive is now %q", after)
			}
		})
	}
}

func TestMissingArchive(t *testing.T) {
	r := Run(t.Context(), filepath.Join(t.TempDir(), "none.txtar"))
	if r.Bad == nil || r.Passed() {
		t.Error("a file that is not there is taken for a test")
	}
}

func TestSectionLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines.txtar")
	text := "a\nb\n-- one --\n-- two --\nx\n\ny\n-- three --\nz"
	write(t, path, text)
	sections, err := readSections(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for i, want := range []struct {
		name string
		line int
	}{{"one", 4}, {"two", 5}, {"three", 9}} {
		s := sections[i]
		if s.name != want.name || s.line != want.line {
			t.Errorf("section %d is %s with text from line %d, expected %s from line %d", i, s.name, s.line, want.name, want.line)
		}
		texts, numbers := s.lines()
		for j, text := range texts {
			if at := lines[s.line+numbers[j]-1]; at != text {
				t.Errorf("%s: line %d is %q, and %q is said to stand there", s.name, s.line+numbers[j], at, text)
			}
		}
	}
}
