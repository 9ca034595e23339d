package explain

import (
	"slices"
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// competitorsAge is how long competitors are remembered. To list them takes as long as a page of tasks, and the pages of
// many people need them.
const competitorsAge = time.Second

// competitors remembers for a moment which tasks of all attempts are ready and which run.
type competitors struct {
	mu      sync.Mutex
	at      time.Time
	ready   []trowel.BusyTask
	holders []trowel.BusyTask
}

// list returns the ready tasks and, if there are any, the running ones. The caller may change them.
func (c *competitors) list(r *reader, busy bool) (ready, holders []trowel.BusyTask, err error) {
	if c == nil {
		return readCompetitors(r, busy)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if age := r.Now.Sub(c.at); age < 0 || age > competitorsAge {
		if ready, holders, err = readCompetitors(r, true); err != nil {
			return nil, nil, err
		}
		c.at, c.ready, c.holders = r.Now, ready, holders
	}
	return slices.Clone(c.ready), slices.Clone(c.holders), nil
}

func readCompetitors(r *reader, busy bool) (ready, holders []trowel.BusyTask, err error) {
	if ready, err = r.tx.ListReady(r.Ctx(), maxReady); err == nil && busy {
		holders, err = r.tx.ListBusy(r.Ctx(), maxBusy)
	}
	return ready, holders, err
}
