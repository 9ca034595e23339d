package server

import (
	"cmp"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
)

// queueCount is what is known of one queue.
type queueCount struct {
	api.Queue
	oldest    time.Time
	slots     int
	unlimited bool
}

// getQueues lists the queues that agents serve or tasks name.
func getQueues(c *call) (any, error) {
	var live []trowel.LiveCount
	var agents []*trowel.Agent
	err := c.view(func(tx trowel.Tx) (err error) {
		if live, err = tx.CountLive(c.ctx()); err != nil {
			return err
		}
		agents, err = tx.ListAgents(c.ctx())
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
		of(live[i].Needs.QueueName()).count(&live[i])
	}
	for _, a := range agents {
		for _, name := range queuesOf(a) {
			of(name).serve(a, c.now)
		}
	}
	list := api.QueueList{Items: api.List[api.Queue]{}}
	for _, n := range queues {
		n.OldestReadyMS = c.since(n.oldest)
		if !n.unlimited {
			n.Slots = &n.slots
		}
		list.Items = append(list.Items, n.Queue)
	}
	slices.SortFunc(list.Items, func(a, b api.Queue) int { return cmp.Compare(a.Name, b.Name) })
	return list, nil
}

// queuesOf are the queues that an agent serves.
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

// serve adds an agent, if it takes tasks.
func (n *queueCount) serve(a *trowel.Agent, now time.Time) {
	if !a.DrainedAt.IsZero() || !now.Before(a.LeaseEnds) {
		return
	}
	n.Agents++
	n.slots += a.Slots
	n.unlimited = n.unlimited || a.Slots == 0
}
