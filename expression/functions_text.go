package expression

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var textFunctions = []function{
	{Function{"len", "len(x)", "Characters of text, elements of a list, members of a record, bytes of bytes.", `len("日本")`, `2`},
		oneAnything, compileLen},
	{Function{"upper", "upper(text)", "All letters in upper case.", `upper("abc")`, `"ABC"`},
		oneText, of1(kindString, growing(strings.ToUpper))},
	{Function{"lower", "lower(text)", "All letters in lower case.", `lower("ABC")`, `"abc"`},
		oneText, of1(kindString, growing(strings.ToLower))},
	{Function{"capitalize", "capitalize(text)", "The first letter in upper case, the others as they are.", `capitalize("new order")`, `"New order"`},
		oneText, of1(kindString, growing(capitalize))},
	{Function{"camelCase", "camelCase(text)", "Words joined, each but the first capitalized.", `camelCase("placed_at")`, `"placedAt"`},
		oneText, of1(kindString, growing(camelCase))},
	{Function{"snakeCase", "snakeCase(text)", "Words in lower case joined by _.", `snakeCase("placedAt")`, `"placed_at"`},
		oneText, of1(kindString, growing(func(s string) string { return strings.Join(words(s), "_") }))},
	{Function{"kebabCase", "kebabCase(text)", "Words in lower case joined by -.", `kebabCase("placedAt")`, `"placed-at"`},
		oneText, of1(kindString, growing(func(s string) string { return strings.Join(words(s), "-") }))},
	{Function{"trim", "trim(text, characters?)", "Without white space, or those characters, at both ends.", `trim("--x--", "-")`, `"x"`},
		[]param{textArg, whiteSpaceArg}, of2(kindString, pure2(strings.Trim))},
	{Function{"trimPrefix", "trimPrefix(text, prefix?)", "Without the prefix, by default one space.", `trimPrefix("v1.2", "v")`, `"1.2"`},
		[]param{textArg, spaceArg}, of2(kindString, pure2(strings.TrimPrefix))},
	{Function{"trimSuffix", "trimSuffix(text, suffix?)", "Without the suffix, by default one space.", `trimSuffix("a.json", ".json")`, `"a"`},
		[]param{textArg, spaceArg}, of2(kindString, pure2(strings.TrimSuffix))},
	{Function{"hasPrefix", "hasPrefix(text, prefix)", "Whether the text starts with the prefix.", `hasPrefix("orders.eu", "orders.")`, `true`},
		twoTexts, of2(kindBool, pure2(strings.HasPrefix))},
	{Function{"hasSuffix", "hasSuffix(text, suffix)", "Whether the text ends with the suffix.", `hasSuffix("orders.eu", ".eu")`, `true`},
		twoTexts, of2(kindBool, pure2(strings.HasSuffix))},
	{Function{"indexOf", "indexOf(text, part)", "The character at which the part first starts, from 0; -1 if it is not there.", `indexOf("日本語", "語")`, `2`},
		twoTexts, of2(kindInt, pure2(func(s, part string) int64 { return characterAt(s, strings.Index(s, part)) }))},
	{Function{"lastIndexOf", "lastIndexOf(text, part)", "The character at which the part last starts, from 0; -1 if it is not there.", `lastIndexOf("a.b.c", ".")`, `3`},
		twoTexts, of2(kindInt, pure2(func(s, part string) int64 { return characterAt(s, strings.LastIndex(s, part)) }))},
	{Function{"replace", "replace(text, old, new, times?)", "With every old replaced, or the first times of them.", `replace("a-b-c", "-", "+", 1)`, `"a+b-c"`},
		[]param{textArg, textArg, textArg, unlimitedArg}, compileReplace},
	{Function{"repeat", "repeat(text, times)", "The text so many times.", `repeat("ab", 3)`, `"ababab"`},
		[]param{textArg, intArg}, of2(kindString, repeat)},
	{Function{"split", "split(text, separator, parts?)", "The parts between separators, at most so many.", `split("a,b,c", ",")`, `["a","b","c"]`},
		[]param{textArg, textArg, unlimitedArg}, compileSplit(strings.SplitN)},
	{Function{"splitAfter", "splitAfter(text, separator, parts?)", "The parts, each with the separator after it.", `splitAfter("a,b", ",")`, `["a,","b"]`},
		[]param{textArg, textArg, unlimitedArg}, compileSplit(strings.SplitAfterN)},
	{Function{"join", "join(list, separator?)", "The texts of a list with the separator between them; null elements are left out.", `join(["a", "b"], "-")`, `"a-b"`},
		[]param{{kind: kindList}, emptyArg}, compileJoin},
	{Function{"token", "token(subject, number)", "The subject's token of that number, from 1; negative numbers count from the end; null if there is none.", `token("orders.eu.created", 2)`, `"eu"`},
		[]param{textArg, intArg}, of2(kindString, token)},
}

// growing adapts a function whose result may be larger than its text.
func growing(compute func(string) string) func(*frame, place, string) (string, bool) {
	return func(f *frame, at place, s string) (string, bool) {
		if !f.allocate(at, 2*len(s)) {
			return "", false
		}
		return compute(s), true
	}
}

func capitalize(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 || first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}

// words splits at everything that is no letter or digit, and before a capital
// that follows a small letter or a digit; all in lower case.
func words(s string) []string {
	var found []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			found = append(found, word.String())
			word.Reset()
		}
	}
	small := false
	for _, r := range s {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || unicode.IsUpper(r) && small {
			flush()
		}
		if letter {
			word.WriteRune(unicode.ToLower(r))
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	flush()
	return found
}

func camelCase(s string) string {
	parts := words(s)
	for i := 1; i < len(parts); i++ {
		parts[i] = capitalize(parts[i])
	}
	return strings.Join(parts, "")
}

// characterAt turns a byte index into a character index, and keeps -1.
func characterAt(s string, index int) int64 {
	if index < 0 {
		return -1
	}
	return characters(s[:index])
}

func repeat(f *frame, at place, s string, times int64) (string, bool) {
	if times < 0 {
		f.fail(at, "cannot repeat text %d times", times)
		return "", false
	}
	copies := int(min(times, maxRowMemory+1)) // one more than can be allowed
	if !f.allocate(at, len(s)*copies) {
		return "", false
	}
	return strings.Repeat(s, copies), true
}

func token(_ *frame, _ place, subject string, number int64) (string, bool) {
	tokens := int64(strings.Count(subject, ".")) + 1
	if number < 0 {
		number += tokens + 1
	}
	if number < 1 || number > tokens {
		return "", false
	}
	for ; number > 1; number-- {
		_, subject, _ = strings.Cut(subject, ".")
	}
	first, _, _ := strings.Cut(subject, ".")
	return first, true
}

func compileLen(c *compiler, k call) operand {
	o := k.args[0]
	switch o.typ.kind {
	case kindNull:
		return computed(kindInt, nullOf[int64])
	case kindString:
		return of1(kindInt, pure(characters))(c, k)
	case kindBytes:
		return of1(kindInt, pure(func(s string) int64 { return int64(len(s)) }))(c, k)
	case kindList, kindRecord, kindJSON:
		return nullableIf(k.nullable() || o.typ.kind == kindJSON, of1(kindInt, lengthOf)(c, k))
	}
	return c.problem(k.nodes[0], Mistyped, "", "`len` takes text, a list or a record, found %s", o.typ)
}

func lengthOf(_ *frame, _ place, v any) (int64, bool) {
	switch v := v.(type) {
	case string:
		return characters(v), true
	case []any:
		return int64(len(v)), true
	case map[string]any:
		return int64(len(v)), true
	}
	return 0, false
}

func compileReplace(_ *compiler, k call) operand {
	s, old, replacement, times := searched(as[string](k.args[0]), k.at), as[string](k.args[1]), as[string](k.args[2]), as[int64](k.args[3])
	return computed(kindString, fn[string](func(f *frame) (string, bool) {
		v, ok := s(f)
		a, oldOK := old(f)
		b, newOK := replacement(f)
		n, timesOK := times(f)
		if !ok || !oldOK || !newOK || !timesOK {
			return "", false
		}
		count := strings.Count(v, a)
		if n >= 0 {
			count = int(min(n, int64(count)))
		}
		if !f.allocate(k.at, len(v)+count*len(b)) {
			return "", false
		}
		return strings.Replace(v, a, b, int(max(min(n, int64(len(v))+1), -1))), true
	}))
}

func compileSplit(split func(s, separator string, n int) []string) func(*compiler, call) operand {
	return func(_ *compiler, k call) operand {
		s, separator, parts := searched(as[string](k.args[0]), k.at), as[string](k.args[1]), as[int64](k.args[2])
		return fromBoxed(listOf(dataType{kind: kindString}), func(f *frame) (any, bool) {
			v, ok := s(f)
			sep, sepOK := separator(f)
			n, partsOK := parts(f)
			if !ok || !sepOK || !partsOK || !f.allocate(k.at, (strings.Count(v, sep)+1)*2*elementBytes) {
				return nil, false
			}
			found := split(v, sep, int(max(min(n, int64(len(v))+1), -1)))
			list := make([]any, len(found))
			for i, part := range found {
				list[i] = part
			}
			return list, true
		})
	}
}

func compileJoin(c *compiler, k call) operand {
	if elem := k.args[0].typ.elem; elem != nil && elem.kind != kindString && elem.kind != kindNull {
		return c.problem(k.nodes[0], Mistyped, "convert with map(list, string(#))", "`join` takes a list of text, found %s", k.args[0].typ)
	}
	return of2(kindString, join)(c, k)
}

func join(f *frame, at place, list any, separator string) (string, bool) {
	var b strings.Builder
	first := true
	for _, element := range list.([]any) {
		part, ok := element.(string)
		if !ok {
			continue
		}
		if !f.allocate(at, len(separator)+len(part)) {
			return "", false
		}
		if !first {
			b.WriteString(separator)
		}
		b.WriteString(part)
		first = false
	}
	return b.String(), true
}
