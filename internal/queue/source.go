package queue

import trowel "github.com/trowel-project/trowel"

// Source has ready tasks: the image of an attempt.
type Source interface {
	// NextReady returns the ready task that has waited longest. It returns the same one until that
	// task is claimed.
	NextReady() (trowel.TaskID, bool)
}

// Pick gives up to n ready tasks away, one of each source in turn, so that a wide attempt does not
// keep a small one waiting. claim must make the task no longer ready. Pick returns how many it gave.
func Pick[S Source](sources []S, n int, claim func(S, trowel.TaskID)) int {
	given := 0
	for left := append([]S(nil), sources...); given < n && len(left) > 0; {
		more := left[:0] // those that may have another one
		for _, s := range left {
			if given == n {
				return given
			}
			if id, ok := s.NextReady(); ok {
				claim(s, id)
				given++
				more = append(more, s)
			}
		}
		left = more
	}
	return given
}
