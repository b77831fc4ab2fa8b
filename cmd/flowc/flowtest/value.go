package flowtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// objectDifferences tells in which members two objects differ, a line each. Path is
// where they are in the message. Numbers are equal if their digits are.
func objectDifferences(path string, want, got map[string]any) []string {
	names := slices.Collect(maps.Keys(want))
	for name := range got {
		if _, both := want[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var lines []string
	for _, name := range names {
		w, wanted := want[name]
		g, found := got[name]
		at := memberPath(path, name)
		switch {
		case !wanted:
			lines = append(lines, fmt.Sprintf("%s: not expected, found %s", at, clip(encode(g))))
		case !found:
			lines = append(lines, fmt.Sprintf("%s: expected %s, found no such member", at, clip(encode(w))))
		default:
			lines = append(lines, valueDifferences(at, w, g)...)
		}
	}
	return lines
}

func valueDifferences(path string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return objectDifferences(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return listDifferences(path, w, g)
		}
	default:
		if _, object := got.(map[string]any); object {
			break
		}
		if _, list := got.([]any); !list && want == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: expected %s, found %s", path, clip(encode(want)), clip(encode(got)))}
}

func listDifferences(path string, want, got []any) []string {
	var lines []string
	for i := range min(len(want), len(got)) {
		lines = append(lines, valueDifferences(fmt.Sprintf("%s[%d]", path, i), want[i], got[i])...)
	}
	if len(want) != len(got) {
		lines = append(lines, fmt.Sprintf("%s: expected length %d, found %d", path, len(want), len(got)))
	}
	return lines
}

// memberPath is a member's place in the message: a.b, or a["b c"].
func memberPath(path, name string) string {
	plain := name != "" && strings.IndexFunc(name, func(r rune) bool { return !strings.ContainsRune(plainRunes, r) }) < 0
	switch {
	case !plain:
		return path + "[" + encode(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
