package lang

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestValid(t *testing.T) {
	golden(t, "valid", func(t *testing.T, src *Source) string {
		file, ds := Parse(src)
		if len(ds) > 0 {
			t.Errorf("%v", ds)
		}
		return dump(file)
	})
}

func TestFirstProgram(t *testing.T) {
	file, ds := Parse(&Source{Name: "orders.flow", Text: `from nats "orders.>" epoch 1000/1s to nats stream "<resource>" subject "<resource>.v1"`})
	if len(ds) > 0 || len(file.Flows) != 1 {
		t.Fatalf("%d flows, %v", len(file.Flows), ds)
	}
	epoch := file.Flows[0].Epoch
	if n, ok := epoch.Records(); !ok || n != 1000 {
		t.Errorf("records %d, %v", n, ok)
	}
	if d, ok := epoch.Wait(); !ok || d != time.Second {
		t.Errorf("wait %v, %v", d, ok)
	}
	if n, ok := epoch.Bytes(); ok {
		t.Errorf("a size of %d from nowhere", n)
	}
}

func TestExpressionEnd(t *testing.T) {
	for _, test := range []struct{ program, expression, next string }{
		{`where to == from and select > 1 to nats "x"`, `to == from and select > 1`, `to`},
		{`where a > 0 to nats "x"`, `a > 0`, `to`},
		{`where a in [1, 2] select { a }`, `a in [1, 2]`, `select`},
		{`where a not in [1] and not b drop c`, `a not in [1] and not b`, `drop`},
		{`where a ? b : c to nats "x"`, `a ? b : c`, `to`},
		{`where f(a, to)[0].to to nats "x"`, `f(a, to)[0].to`, `to`},
		{`where a?.where ?? where where b`, `a?.where ?? where`, `where`},
		{`where {to: 1}.to == 1 to nats "x"`, `{to: 1}.to == 1`, `to`},
		{`where any(tags, {# == "to"}) to nats "x"`, `any(tags, {# == "to"})`, `to`},
		{`where any(tags, # == "to") to nats "x"`, `any(tags, # == "to")`, `to`},
		{`where -a < -1 to nats "x"`, `-a < -1`, `to`},
		{`where not not a to nats "x"`, `not not a`, `to`},
		{`where a | filter(# > 1) to nats "x"`, `a | filter(# > 1)`, `to`},
		{`where b"x" == c to nats "x"`, `b"x" == c`, `to`},
		{`where 'it' == "to" to nats "x"`, `'it' == "to"`, `to`},
		{"where `a``to` == c to nats \"x\"", "`a``to` == c", `to`},
		{`where a in 1..3 to nats "x"`, `a in 1..3`, `to`},
		{`where a > .5 to nats "x"`, `a > .5`, `to`},
		{`where a > 1e+3 to nats "x"`, `a > 1e+3`, `to`},
		{`where $env["to"] to nats "x"`, `$env["to"]`, `to`},
		{`where a startsWith to to nats "x"`, `a startsWith to`, `to`},
		{`where a /* to */ > 0 to nats "x"`, `a /* to */ > 0`, `to`},
		{"where a\n  and b\nto nats \"x\"", "a\n  and b", `to`},
		{"where (a\nto\n) to nats \"x\"", "(a\nto\n)", `to`},
		{`where to to nats "x"`, `to`, `to`},
		{`where limit > group limit 1`, `limit > group`, `limit`},
		{`where ::to(a) to nats "x"`, `::to(a)`, `to`},
	} {
		src := &Source{Text: test.program}
		tokens, problems := scan(src)
		clauses := cut(tokens)
		if len(problems) > 0 || len(clauses) != 2 {
			t.Errorf("%s: %d clauses, %v", test.program, len(clauses), problems)
			continue
		}
		clause, err := parseClause(clauses[0])
		if err != nil {
			t.Errorf("%s: %v", test.program, err)
			continue
		}
		expr := clause.(*Where).Expr
		if expr.Text != test.expression || clauses[1].word != test.next {
			t.Errorf("%s: expression %q, next clause %q", test.program, expr.Text, clauses[1].word)
		}
		if at := expr.Span(); test.program[at.Start:at.End] != expr.Text {
			t.Errorf("%s: the span is of %q", test.program, test.program[at.Start:at.End])
		}
	}
}

func TestDeepNesting(t *testing.T) {
	for bracket, depth := range map[string]int{"()": 100_000, "[]": 1000, "{}": 1000} {
		open, shut := bracket[:1], bracket[1:]
		for _, text := range []string{
			`from nats "a" where ` + strings.Repeat(open, depth),
			`from nats "a" where ` + strings.Repeat(shut, depth),
			`from nats "a" where ` + strings.Repeat(open, depth) + "a" + strings.Repeat(shut, depth) + ` to nats "b"`,
			`schema s ` + strings.Repeat(open, depth) + strings.Repeat(shut, depth),
		} {
			src := &Source{Name: "deep.flow", Text: text}
			_, ds := Parse(src)
			if !ds.HasErrors() || len(ds) > 3 {
				t.Errorf("%.30s: %d errors", text, len(ds))
			}
			checkDiagnostics(t, src, ds)
		}
	}
}

func TestLongExpressions(t *testing.T) {
	for _, part := range []string{"-", "not ", "a ? ", "a ** ", "a + "} {
		program := func(parts int) *Source {
			return &Source{Text: `from nats "a" where ` + strings.Repeat(part, parts) + `a to nats stream "x"`}
		}
		if _, ds := Parse(program(5000)); len(ds) > 0 {
			t.Errorf("%q: %v", part, ds[0])
		}
		src := program(maxExpressionTokens)
		_, ds := Parse(src)
		if len(ds) != 1 || ds[0].Code != "F1010" {
			t.Errorf("%q: %d errors", part, len(ds))
		}
		checkDiagnostics(t, src, ds)
	}
}

func TestSubjects(t *testing.T) {
	file, _ := Parse(&Source{Text: `from nats "a", nats ["b", "c"], nats to nats stream "x"`})
	var got []string
	for _, source := range file.Flows[0].From.Sources {
		for _, s := range source.Endpoint.Subjects() {
			got = append(got, s.Value)
		}
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestManyErrors(t *testing.T) {
	src := &Source{Name: "many.flow", Text: strings.Repeat("epoch 0/1s\n", 50)}
	_, ds := Parse(src)
	out := rendered(t, ds)
	if n := strings.Count(out, "error["); n != maxRendered {
		t.Errorf("%d errors written", n)
	}
	if !strings.HasSuffix(out, "more\n") {
		t.Errorf("the others are not counted: %q", out[len(out)-40:])
	}
}

func BenchmarkParse(b *testing.B) {
	flow := "flow f\nfrom nats \"orders.>\" epoch 1000/1s\nwhere amount > 0 and country in [\"DE\", \"FR\"]\nselect { id, total: amount * qty, ... }\nto nats stream \"<resource>\" subject \"v1.<resource>\"\n\n"
	src := strings.Repeat(flow, 10_000/6)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, ds := Parse(&Source{Text: src}); len(ds) > 0 {
			b.Fatal(ds[0])
		}
	}
}
