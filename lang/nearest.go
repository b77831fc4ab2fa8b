package lang

import "strings"

// maxNearestName bounds the cost of an edit distance; nobody mistypes a longer
// name by a letter.
const maxNearestName = 64

// Nearest returns the name among those given that was probably meant: one that
// differs in case only, else the one with the smallest edit distance, if that
// is at most a third of the name's length, or 1. Of equals, the first wins.
func Nearest(name string, among []string) (string, bool) {
	if name == "" || len(name) > maxNearestName {
		return "", false
	}
	for _, candidate := range among {
		if strings.EqualFold(name, candidate) {
			return candidate, true
		}
	}
	from := []rune(name)
	limit := max(len(from)/3, 1)
	best, found := "", false
	for _, candidate := range among {
		to := []rune(candidate)
		if len(candidate) > maxNearestName || len(to) <= limit {
			continue
		}
		if d := editDistance(from, to); d <= limit {
			best, found, limit = candidate, true, d-1
		}
	}
	return best, found
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbors. Most edit distances count a swap as two, but `form` is one slip.
func editDistance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range b {
		rows[0][j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
