package operator

import (
	"time"

	"github.com/trowel-project/trowel/internal/param"
)

// Bounds of the waits of an operator's own retries, which double (operators 1.11).
const (
	shortestRetry = time.Second
	longestRetry  = 30 * time.Second
)

// RetryLater asks for another run because of a failure that may pass, as often as needed (operators 1.11,
// retry executor): after 1, 2, 4... 30 seconds, counted in the state below key.
func RetryLater(state *param.Map, key string, cause error) (Outcome, error) {
	own, err := param.NewReader(state).OptMap(key)
	if err != nil {
		return Outcome{}, err
	}
	done, err := param.NewReader(own).IntOr("retry", 0)
	if err != nil {
		return Outcome{}, err
	}
	own = own.Clone()
	own.Set("retry", int64(done+1))
	next := state.Clone()
	next.Set(key, own)
	return Outcome{Again: &Again{After: doubled(0, 0, done), State: next, Cause: cause}}, nil
}
