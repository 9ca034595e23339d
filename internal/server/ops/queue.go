package ops

import (
	"cmp"
	"math"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/server/rest"
	"github.com/trowel-project/trowel/internal/usage"
)

// queueCount is the use and demand of one queue.
type queueCount struct {
	api.Queue
	oldest    time.Time
	slots     int
	unlimited bool
	handed    trowel.HandOffs
}

// getQueues lists the queues that agents serve, or that tasks name or have lately named.
func getQueues(c *rest.Call) (any, error) {
	var live []trowel.LiveCount
	var agents []*trowel.Agent
	var handed []trowel.HandOffs
	err := c.View(func(tx trowel.Tx) (err error) {
		if live, err = tx.CountLive(c.Ctx()); err != nil {
			return err
		}
		if agents, err = tx.ListAgents(c.Ctx()); err != nil {
			return err
		}
		handed, err = tx.ListHandOffs(c.Ctx(), c.Now.Add(-usage.Lately))
		return err
	})
	if err != nil {
		return nil, err
	}
	queues := map[string]*queueCount{}
	of := func(name string) *queueCount {
		if queues[name] == nil {
			queues[name] = &queueCount{Queue: api.Queue{Name: name}}
		}
		return queues[name]
	}
	of(trowel.DefaultQueue)
	for i := range live {
		of(live[i].Requirements.QueueName()).count(&live[i])
	}
	for _, a := range agents {
		for _, name := range queuesOf(a) {
			of(name).serve(a, c.Now)
		}
	}
	for i := range handed {
		of(handed[i].Queue).handed.Merge(&handed[i])
	}
	list := api.QueueList{Items: api.List[api.Queue]{}}
	for _, n := range queues {
		n.pace()
		n.OldestReadyMS = millisSince(c, n.oldest)
		if !n.unlimited {
			n.Slots = &n.slots
		}
		list.Items = append(list.Items, n.Queue)
	}
	slices.SortFunc(list.Items, func(a, b api.Queue) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// queuesOf returns the queues that an agent serves.
func queuesOf(a *trowel.Agent) []string {
	if len(a.Queues) == 0 {
		return []string{trowel.DefaultQueue}
	}
	return a.Queues
}

func (n *queueCount) count(live *trowel.LiveCount) {
	if live.State == trowel.TaskRunning {
		n.Running += live.Count
		return
	}
	n.Ready += live.Count
	if n.oldest.IsZero() || live.Oldest.Before(n.oldest) {
		n.oldest = live.Oldest
	}
}

// pace sets how fast tasks have lately gone to agents.
func (n *queueCount) pace() {
	total := n.handed.Total()
	if total == 0 {
		return
	}
	within := func(part float64) *float64 {
		ms := math.Round(n.handed.Within(part).Seconds()*1e6) / 1e3
		return &ms
	}
	rate := math.Round(float64(total)/usage.Lately.Minutes()*100) / 100
	n.P50MS, n.P99MS, n.RatePerMin = within(0.5), within(0.99), &rate
}

// serve adds an agent that takes tasks.
func (n *queueCount) serve(a *trowel.Agent, now time.Time) {
	if !a.DrainedAt.IsZero() || !now.Before(a.LeaseEnds) {
		return
	}
	n.Agents++
	n.slots += a.Slots
	n.unlimited = n.unlimited || a.Slots == 0
}
