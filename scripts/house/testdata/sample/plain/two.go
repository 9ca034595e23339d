package plain

type pair struct{ A, B int }

func two() int { return 2 }
