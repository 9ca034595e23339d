package flush

import (
	"container/list"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/engine"
)

// maxCached is how many tasks the trees in memory have together. Beyond that the trees that were not used
// for longest are evicted.
const maxCached = 200_000

// cache has the attempts that the flusher knows. Those that the last transactions used have a task tree.
// Of the others it knows only what they wait for.
type cache struct {
	byID   map[trowel.AttemptID]*attempt
	recent *list.List // attempts with a tree, the one used last first
	tasks  int        // in these trees
}

func newCache() *cache { return &cache{byID: map[trowel.AttemptID]*attempt{}, recent: list.New()} }

// get returns an attempt, or nil if nothing is known of it.
func (c *cache) get(id trowel.AttemptID) *attempt { return c.byID[id] }

// entry returns an attempt, and adds it if nothing is known of it.
func (c *cache) entry(id trowel.AttemptID) *attempt {
	a := c.byID[id]
	if a == nil {
		a = &attempt{id: id, place: -1}
		c.byID[id] = a
	}
	return a
}

// put gives an attempt the tree that the store has.
func (c *cache) put(a *attempt, tree *engine.Image) {
	c.byID[a.id] = a
	a.tree, a.stored = tree, tree.Attempt
	setting := tree.Setting()
	a.workflow, a.control = nameOf(setting), setting.Control
	c.touch(a)
}

// touch notes that the tree of an attempt was used, and counts its tasks again.
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

// evict drops the tree of an attempt, but not its alarms, nor who waits for its end.
func (c *cache) evict(a *attempt) {
	if a.recent != nil {
		c.recent.Remove(a.recent)
	}
	c.tasks -= a.size
	a.tree, a.recent, a.size, a.streak = nil, nil, 0, 0
}

// trim evicts the trees that were not used for longest while there are too many tasks in them. The keep
// ones used last stay.
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

// runningTasks returns how many tasks of an attempt run, or 0 if its tree is not in memory.
func (c *cache) runningTasks(id trowel.AttemptID) int {
	if a := c.byID[id]; a != nil && a.tree != nil {
		return a.tree.Running()
	}
	return 0
}

// close tells all who wait for the end of an attempt that they will not see it.
func (c *cache) close() {
	for _, a := range c.byID {
		a.close()
	}
}

func nameOf(s *trowel.Setting) trowel.WorkflowName {
	return trowel.WorkflowName{ProjectID: s.Project.ID, Name: s.Workflow.Name}
}
