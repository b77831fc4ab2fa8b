package expression

import (
	"slices"
	"strings"
)

// nearest returns the candidate that name was probably meant to be: one that
// differs in case only, else the closest within a third of its length, else "".
func nearest(name string, candidates []string) string {
	candidates = slices.Sorted(slices.Values(candidates))
	for _, candidate := range candidates {
		if strings.EqualFold(name, candidate) {
			return candidate
		}
	}
	best, allowed := "", max(len(name)/3, 1)
	for _, candidate := range candidates {
		if d := editDistance(name, candidate, allowed); d <= allowed {
			best, allowed = candidate, d-1
		}
	}
	return best
}

// editDistance counts the insertions, deletions, replacements and swaps of
// neighbors between a and b, or returns limit+1 where it is surely more.
func editDistance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit {
		return limit + 1
	}
	before, previous, current := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range x {
		current[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			current[j+1] = min(previous[j]+cost, previous[j+1]+1, current[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				current[j+1] = min(current[j+1], before[j-1]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(y)]
}
