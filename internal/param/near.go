package param

import "unicode/utf16"

// Near returns the candidates that a mistyped key may mean, in their order. Their edit
// distance from the key is at most half their length, rounded down (language L55, C14).
func Near(key string, candidates []string) []string {
	var near []string
	for _, c := range candidates {
		if a, b := units(key), units(c); distance(a, b) <= len(b)/2 {
			near = append(near, c)
		}
	}
	return near
}

// units returns what Digdag counts as characters.
func units(s string) []uint16 { return utf16.Encode([]rune(s)) }

// distance returns the number of insertions, deletions and replacements that turn a into b.
func distance(a, b []uint16) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
