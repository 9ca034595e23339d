package view

import (
	"slices"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

const (
	samples    = 20 // successes from which an estimate is made
	minSamples = 3  // with fewer there is none
	// usualAge is how long durations are remembered: they change with each success, but not by much.
	usualAge = time.Minute
	// mostUsual is how many workflows are remembered.
	mostUsual = 20_000
)

// usual remembers how long workflows usually take.
type usual struct {
	mu    sync.Mutex
	known map[usualKey]usualTimes
}

type usualKey struct {
	project  trowel.ProjectID
	workflow trowel.WorkflowID
}

type usualTimes struct {
	at     time.Time
	sorted []time.Duration // of the last successes, the shortest first
}

// times returns how long the last successes took, the shortest first; nil if there are too few.
func (u *usual) times(c *rest.Call, tx trowel.Tx, project trowel.ProjectID, name string, workflow trowel.WorkflowID) ([]time.Duration, error) {
	key := usualKey{project, workflow}
	u.mu.Lock()
	known, ok := u.known[key]
	u.mu.Unlock()
	if age := c.Now.Sub(known.at); !ok || age < 0 || age > usualAge {
		list, err := tx.ListDurations(c.Ctx(), project, name, workflow, samples)
		if err != nil {
			return nil, err
		}
		slices.Sort(list)
		known = usualTimes{c.Now, list}
		u.mu.Lock()
		if len(u.known) >= mostUsual {
			clear(u.known)
		}
		u.known[key] = known
		u.mu.Unlock()
	}
	if len(known.sorted) < minSamples {
		return nil, nil
	}
	return known.sorted, nil
}

// quantile returns the duration that a part of them did not exceed.
func quantile(sorted []time.Duration, part float64) time.Duration {
	return sorted[int(part*float64(len(sorted)-1)+0.5)]
}

// estimate returns when a running attempt will have ended; nil if there are too few earlier ones. What should have been over
// already is expected now.
func (u *usual) estimate(c *rest.Call, tx trowel.Tx, s *trowel.AttemptSummary) (*api.Estimate, error) {
	if s.Attempt.Flags&trowel.AttemptDone != 0 {
		return nil, nil //nolint:nilnil // it has ended
	}
	sorted, err := u.times(c, tx, s.Project.ID, s.Session.Workflow, s.Attempt.WorkflowID)
	if err != nil || sorted == nil {
		return nil, err
	}
	at := func(part float64) string {
		end := s.Attempt.CreatedAt.Add(quantile(sorted, part))
		if end.Before(c.Now) {
			end = c.Now
		}
		return document.Instant(end)
	}
	return &api.Estimate{
		P10At: at(0.1), P50At: at(0.5), P90At: at(0.9), Samples: len(sorted),
		Late: c.Now.After(s.Attempt.CreatedAt.Add(quantile(sorted, 0.9))),
	}, nil
}
