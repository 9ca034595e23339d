package ops

import (
	"cmp"
	"slices"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/api"
	"github.com/trowel-project/trowel/internal/queue"
	"github.com/trowel-project/trowel/internal/server/document"
	"github.com/trowel-project/trowel/internal/server/rest"
)

// poolRank orders the tasks that wait for a pool by weight and age, which is about the order in which they will be
// claimed. It does not change while they wait.
type poolRank struct {
	score int64 // smaller is earlier
	task  trowel.TaskID
}

func (r poolRank) compare(o poolRank) int {
	return cmp.Or(cmp.Compare(r.score, o.score), cmp.Compare(r.task, o.task))
}

// rankOf returns the rank of a task. One of weight counts as much as waiting for aging (control K807).
func rankOf(t *trowel.LiveTask, aging time.Duration) poolRank {
	weight := int64(t.Requirements.PriorityWeight())
	if aging <= 0 {
		const apart = int64(100 * 365 * 24 * time.Hour / time.Microsecond) // longer than any wait
		return poolRank{t.ReadyAt.UnixMicro() - weight*apart, t.TaskID}
	}
	return poolRank{t.ReadyAt.UnixMicro() - weight*aging.Microseconds(), t.TaskID}
}

// ranked is a task of a pool.
type ranked struct {
	poolRank
	task  trowel.LiveTask
	slots int
}

// poolTasks has the handler of the tasks of a pool.
type poolTasks struct {
	aging time.Duration // after which a waiting task gains one of weight; zero for never
}

// list answers with the tasks that hold slots of a pool, or wait for some.
func (h *poolTasks) list(c *rest.Call) (any, error) {
	limit, key, err := c.PageNumbers(3)
	if err != nil {
		return nil, err
	}
	state := trowel.TaskRunning
	switch use := c.Query.Get("use"); use {
	case "", "holding":
	case "waiting":
		state = trowel.TaskReady
	default:
		return nil, rest.InvalidValue("use", "use must be holding or waiting, not %q", use)
	}
	from, position := poolRank{}, 0
	if key != nil {
		from, position = poolRank{key[0], trowel.TaskID(key[1])}, int(key[2])
	}
	var list api.PoolTaskList
	err = c.View(func(tx trowel.Tx) error {
		b, p, err := findPool(c, tx)
		if err != nil {
			return err
		}
		pools := b.limits.Pools
		found, err := h.find(c, tx, p, pools, state, limit+1, func(r poolRank) bool { return key == nil || r.compare(from) > 0 })
		if err != nil {
			return err
		}
		list.Next = nil
		if len(found) > limit {
			found = found[:limit]
			last := found[limit-1]
			list.Next = rest.NumberCursor(last.score, int64(last.poolRank.task), int64(position+limit))
		}
		names, err := tx.NameTasks(c.Ctx(), attemptsOf(found))
		if err != nil {
			return err
		}
		var expected map[trowel.TaskID]time.Time
		switch {
		case state == trowel.TaskRunning:
			expected, err = expectEnds(c, tx, found, names)
		case key == nil: // later pages do not know the tasks before them
			expected, err = h.expectSlots(c, tx, p, pools, p.Slots-b.used(p), found)
		}
		list.Items = poolTaskDocuments(c, found, names, expected, position)
		return err
	})
	return list, err
}

// find returns the first wanted tasks of a pool by rank. It holds at most twice as many in memory.
func (h *poolTasks) find(c *rest.Call, tx trowel.Tx, p *trowel.Pool, pools []*trowel.Pool, state trowel.TaskState, limit int, wanted func(poolRank) bool) ([]ranked, error) {
	limits := queue.Limits{Pools: pools}
	var found []ranked
	shorten := func() {
		slices.SortFunc(found, func(a, b ranked) int { return a.compare(b.poolRank) })
		found = found[:min(len(found), limit)]
	}
	err := tx.EachLive(c.Ctx(), state, func(t *trowel.LiveTask, project trowel.ProjectID) error {
		slots := 0
		if state == trowel.TaskRunning && t.Acquired != nil {
			slots = t.Acquired[p.Counter()]
		} else {
			for _, need := range t.Requirements.PoolRequirements() {
				if meant := limits.Pool(project, need.Name); meant != nil && meant.ID == p.ID {
					slots = need.Slots
				}
			}
		}
		rank := rankOf(t, h.aging)
		if state == trowel.TaskRunning {
			rank = poolRank{t.StartedAt.UnixMicro(), t.TaskID}
		}
		if slots == 0 || !wanted(rank) {
			return nil
		}
		if found = append(found, ranked{rank, *t, slots}); len(found) >= 2*limit {
			shorten()
		}
		return nil
	})
	shorten()
	return found, err
}

// poolTaskDocuments returns the documents of the tasks. Tasks of projects that the caller may not see have no names and ids.
func poolTaskDocuments(c *rest.Call,
	found []ranked, names map[trowel.TaskID]trowel.TaskName, expected map[trowel.TaskID]time.Time, position int,
) api.List[api.PoolTask] {
	list := api.List[api.PoolTask]{}
	for i := range found {
		t := &found[i].task
		shape := api.PoolTask{
			ID: api.ID(t.TaskID), AttemptID: api.ID(t.AttemptID), State: t.State.String(), Slots: found[i].slots,
			Weight: t.Requirements.PriorityWeight(), Queue: t.Requirements.QueueName(), ReadyAt: document.Instant(t.ReadyAt), ExpectedAt: document.OptInstant(expected[t.TaskID]),
		}
		if name := names[t.TaskID]; c.Authorize(name.ProjectID) == nil {
			shape.FullName, shape.Workflow, shape.Project = name.FullName, name.Workflow, api.IDName{ID: api.ID(name.ProjectID), Name: name.Project}
		} else {
			shape.ID, shape.AttemptID = 0, 0
		}
		if t.State == trowel.TaskRunning {
			shape.StartedAt, shape.Agent = document.OptInstant(t.StartedAt), document.OptText(t.AgentID)
		} else {
			place := position + i + 1
			shape.Position = &place
		}
		list = append(list, shape)
	}
	return list
}
