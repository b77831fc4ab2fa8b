package expression

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
)

var textTests = map[string]func(s, part string) bool{
	"contains":   strings.Contains,
	"startsWith": strings.HasPrefix,
	"endsWith":   strings.HasSuffix,
}

func isTextOperator(operator string) bool { return operator == "matches" || textTests[operator] != nil }

// texts reports operands that are not text.
func (c *compiler) texts(n *ast.BinaryNode, l, r operand) bool {
	what := "`" + n.Operator + "`"
	left, right := c.expect(l, kindString, what), c.expect(r, kindString, what)
	return left && right
}

func (c *compiler) textTest(n *ast.BinaryNode, l, r operand) operand {
	if !c.texts(n, l, r) {
		return null()
	}
	at, test := c.place(n), textTests[n.Operator]
	a, b := as[string](l), as[string](r)
	return nullableIf(l.nullable || r.nullable, computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, ok := a(f)
		w, alsoOK := b(f)
		if !ok || !alsoOK || !f.search(at, v) {
			return false, false
		}
		return test(v, w), true
	})))
}

// matches compiles a literal pattern once, and one that comes from data for
// each row.
func (c *compiler) matches(n *ast.BinaryNode, l, r operand) operand {
	valid := c.texts(n, l, r)
	var fixed *pattern
	if written, ok := r.constant.(string); ok && r.typ.kind == kindString {
		var err error
		if fixed, err = compilePattern(written); err != nil {
			return c.problem(n.Right, BadValue, patternHelp(written), "%s", err)
		}
	}
	if !valid {
		return null()
	}
	at, text := c.place(n), as[string](r)
	a := as[string](l)
	return nullableIf(l.nullable || r.nullable, computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, ok := a(f)
		p, alsoOK := text(f)
		if !ok || !alsoOK {
			return false, false
		}
		re := fixed
		if re == nil {
			var err error
			if re, err = compilePattern(p); err != nil {
				f.fail(at, "%s", err)
				return false, false
			}
			if !f.step(at, compileSteps*re.size) {
				return false, false
			}
		}
		if !f.step(at, 1+len(v)*re.size/matchedPerStep) {
			return false, false
		}
		return re.MatchString(v), true
	})))
}

// maxPattern bounds patterns that come from data.
const maxPattern = 10_000

// What a pattern costs: an instruction of it is made in the time of several
// steps, and run over several bytes in the time of one.
const (
	compileSteps   = 10
	matchedPerStep = 16
)

// pattern is a regular expression and how many instructions it has: matching
// takes at worst that many for each byte of text.
type pattern struct {
	*regexp.Regexp
	size int
}

func compilePattern(text string) (*pattern, error) {
	if len(text) > maxPattern {
		return nil, patternError("longer than 10000 bytes")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, patternError(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	size, err := patternSize(text)
	return &pattern{re, size}, err
}

func patternSize(text string) (int, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return 0, err
	}
	instructions, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return 0, err
	}
	return len(instructions.Inst), nil
}

type patternError string

func (e patternError) Error() string { return "bad regular expression: " + string(e) }

func patternHelp(pattern string) string {
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil && strings.Contains(err.Error(), "invalid or unsupported Perl syntax") {
		return "look-around and back references do not exist in this syntax (RE2)"
	}
	return `a backslash before a sign takes it as it is: "\\("`
}

// characters counts as len, slices and indexOf do.
func characters(s string) int64 { return int64(utf8.RuneCountInString(s)) }

// cut returns characters from..to of s, both within its length.
func cut(s string, from, to int64) string {
	start, end := len(s), len(s)
	var count int64
	for i := range s {
		if count == from {
			start = i
		}
		if count == to {
			end = i
			break
		}
		count++
	}
	return s[min(start, end):end]
}
