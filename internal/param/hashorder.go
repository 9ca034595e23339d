package param

import (
	"cmp"
	"slices"
	"unicode/utf16"
)

// HashOrder returns keys in the order in which a Java HashMap with so many buckets, a power of two,
// returns them. Digdag shows some lists and parameters in this order. A HashMap begins with 16
// buckets and doubles them when it is more than three quarters full, see HashMapSize.
func HashOrder(keys []string, buckets int) []string {
	sorted := slices.Clone(keys)
	slices.SortStableFunc(sorted, func(a, b string) int { return cmp.Compare(bucket(a, buckets), bucket(b, buckets)) })
	return sorted
}

// HashMapSize returns the number of buckets of a HashMap to which n keys were added one by one.
func HashMapSize(n int) int {
	size := 16
	for n*4 > size*3 {
		size *= 2
	}
	return size
}

func bucket(key string, buckets int) uint32 {
	var hash uint32
	for _, unit := range utf16.Encode([]rune(key)) {
		hash = hash*31 + uint32(unit)
	}
	return (hash ^ hash>>16) & uint32(buckets-1) //nolint:gosec // a small power of two
}
