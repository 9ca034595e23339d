package param

import "strings"

// Similar returns the candidates that a mistyped word most likely means. They differ from it by a
// letter or, if they are long, by up to a third of their letters. Only the nearest are returned. Two letters that
// changed places count once, and case does not count. Near is Digdag's rule, which is far wider and decides
// about Digdag's texts.
func Similar(word string, candidates []string) []string {
	var similar []string
	best := -1
	for _, c := range candidates {
		a, b := units(strings.ToLower(word)), units(strings.ToLower(c))
		most := min(len(a), len(b)) / 3
		if c == word || max(len(a), len(b))-min(len(a), len(b)) > most {
			continue
		}
		switch d := swapDistance(a, b); {
		case d > most:
		case best < 0 || d < best:
			similar, best = []string{c}, d
		case d == best:
			similar = append(similar, c)
		}
	}
	return similar
}

// swapDistance returns the number of insertions, deletions, replacements and swaps of neighbours that turn a
// into b.
func swapDistance(a, b []uint16) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			cost := last[j]
			if a[i] != b[j] {
				cost = 1 + min(last[j], last[j+1], row[j])
				if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
					cost = min(cost, 1+before[j-1])
				}
			}
			row[j+1] = cost
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
