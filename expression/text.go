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
	if !c.texts(n, l, r) {
		return null()
	}
	at, pattern := c.place(n), as[string](r)
	var fixed *regexp.Regexp
	if r.constant != nil {
		var err error
		if fixed, err = compilePattern(r.constant.(string)); err != nil {
			return c.problem(n.Right, BadValue, patternHelp(r.constant.(string)), "%s", err)
		}
	}
	a := as[string](l)
	return nullableIf(l.nullable || r.nullable, computed(kindBool, fn[bool](func(f *frame) (bool, bool) {
		v, ok := a(f)
		p, alsoOK := pattern(f)
		if !ok || !alsoOK || !f.search(at, v) {
			return false, false
		}
		if fixed != nil {
			return fixed.MatchString(v), true
		}
		re, err := compilePattern(p)
		if err != nil {
			f.fail(at, "%s", err)
			return false, false
		}
		return re.MatchString(v), true
	})))
}

// maxPattern bounds patterns that come from data.
const maxPattern = 10_000

func compilePattern(pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, patternError("longer than 10000 bytes")
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, patternError(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
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
