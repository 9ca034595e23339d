package flush

import (
	"container/list"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// maxCached is how many tasks all trees in memory may have together. Beyond that, the least recently used
// trees are evicted.
const maxCached = 200_000

// cache has the attempts that the flusher knows. Recently used ones have a task tree; of the others only
// the alarms and ready tasks are known.
type cache struct {
	byID   map[trowel.AttemptID]*attempt
	recent *list.List // attempts with a tree, the most recently used first
	tasks  int        // in these trees
}

func newCache() *cache { return &cache{byID: map[trowel.AttemptID]*attempt{}, recent: list.New()} }

// get returns an attempt, or nil if it is not known.
func (c *cache) get(id trowel.AttemptID) *attempt { return c.byID[id] }

// entry returns an attempt. It adds one that is not known.
func (c *cache) entry(id trowel.AttemptID) *attempt {
	a := c.byID[id]
	if a == nil {
		a = &attempt{id: id, place: -1}
		c.byID[id] = a
	}
	return a
}

// put gives an attempt its task tree, as it is in the store.
func (c *cache) put(a *attempt, tree *engine.TaskTree) {
	c.byID[a.id] = a
	a.tree, a.stored, a.leftAlone = tree, tree.Attempt, nil
	setting := tree.Context()
	a.workflow, a.control = nameOf(setting), setting.Limits
	c.touch(a)
}

// touch marks the tree of an attempt as the most recently used, and counts its tasks again.
func (c *cache) touch(a *attempt) {
	if a.recent == nil {
		a.recent = c.recent.PushFront(a)
	} else {
		c.recent.MoveToFront(a.recent)
	}
	c.tasks += a.tree.Len() - a.size
	a.size = a.tree.Len()
	a.version = a.tree.Attempt.Version
}

// evict drops the tree of an attempt. Its alarms stay, and so do those who wait for its end.
func (c *cache) evict(a *attempt) {
	if a.recent != nil {
		c.recent.Remove(a.recent)
	}
	c.tasks -= a.size
	a.tree, a.recent, a.size, a.streak = nil, nil, 0, 0
}

// trim evicts the least recently used trees while there are too many tasks in memory. The keep most recent
// ones stay.
func (c *cache) trim(keep int) {
	for c.tasks > maxCached && c.recent.Len() > keep {
		c.evict(c.recent.Back().Value.(*attempt)) //nolint:forcetypeassert // the list holds nothing else
	}
}

// remove drops an attempt.
func (c *cache) remove(a *attempt) {
	c.evict(a)
	delete(c.byID, a.id)
}

// runningTasks returns how many tasks of an attempt run; 0 if its tree is not in memory.
func (c *cache) runningTasks(id trowel.AttemptID) int {
	if a := c.byID[id]; a != nil && a.tree != nil {
		return a.tree.Running()
	}
	return 0
}

// close closes the channels of all who wait for the end of an attempt.
func (c *cache) close() {
	for _, a := range c.byID {
		a.close()
	}
}

func nameOf(s *trowel.AttemptContext) trowel.WorkflowName {
	return trowel.WorkflowName{ProjectID: s.Project.ID, Name: s.Workflow.Name}
}
