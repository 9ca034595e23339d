package view

import (
	"sync"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// liveCounts remembers for a moment how many tasks are ready and run. To count them takes the longer the more there are, so
// they are remembered nine times as long as that took: it takes a tenth of the time at most, however many people ask.
type liveCounts struct {
	mu    sync.Mutex
	until time.Time
	list  []trowel.LiveCount
	waits api.List[api.WaitingCount] // what all ready tasks wait for
}

// Bounds of how long counts are remembered.
const (
	leastLive = time.Second
	mostLive  = 10 * time.Second
)

// read returns the counts, and what all ready tasks wait for. The caller must not change them.
func (l *liveCounts) read(
	c *rest.Call, tx trowel.Tx, waiting func(*rest.Call, trowel.Tx, []trowel.LiveCount) (api.List[api.WaitingCount], error),
) ([]trowel.LiveCount, api.List[api.WaitingCount], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	began := c.Clock()
	if left := l.until.Sub(began); left > 0 && left <= mostLive {
		return l.list, l.waits, nil
	}
	list, err := tx.CountLive(c.Ctx())
	if err != nil {
		return nil, nil, err
	}
	waits, err := waiting(c, tx, readyOf(list, 0))
	if err != nil {
		return nil, nil, err
	}
	ended := c.Clock()
	l.list, l.waits, l.until = list, waits, ended.Add(min(max(leastLive, 9*ended.Sub(began)), mostLive))
	return list, waits, nil
}

// readyOf returns the counts of ready tasks of a project; zero for all.
func readyOf(live []trowel.LiveCount, project trowel.ProjectID) (ready []trowel.LiveCount) {
	for i := range live {
		if l := &live[i]; l.State == trowel.TaskReady && (project == 0 || l.ProjectID == project) {
			ready = append(ready, *l)
		}
	}
	return ready
}
