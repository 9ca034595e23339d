package plain

func one() int { return two() }
