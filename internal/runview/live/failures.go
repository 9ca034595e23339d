package live

import (
	"strconv"

	"github.com/trowel-project/trowel/internal/runview"
)

// repeatedFailure is a task that failed in the same way in several tries, or in several rounds of a group.
type repeatedFailure struct {
	runview.FailedTask
	times int
}

// mergeFailures lists the same failure of a task once, where it last happened. A group that is
// retried has a new task of the same name in each round.
func mergeFailures(failed []runview.FailedTask) []repeatedFailure {
	type failure struct{ name, message, values string }
	times := map[failure]int{}
	last := map[failure]int{}
	for i := range failed {
		key := failure{failed[i].Name, failed[i].Message, failed[i].Values}
		times[key] += max(failed[i].Tries, 1)
		last[key] = i
	}
	var merged []repeatedFailure
	for i := range failed {
		if key := (failure{failed[i].Name, failed[i].Message, failed[i].Values}); last[key] == i {
			merged = append(merged, repeatedFailure{failed[i], times[key]})
		}
	}
	return merged
}

// timesText says how often a task failed; empty if it failed once.
func (f *repeatedFailure) timesText() string {
	if f.times < 2 {
		return ""
	}
	return " failed " + strconv.Itoa(f.times) + " times"
}
