package explain

import (
	"maps"
	"slices"
	"strings"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/reason"
)

func (r *reader) idsNamed(name string) ([]trowel.TaskID, error) {
	if !r.ended {
		return r.tx.FindTasksNamed(r.Ctx(), r.summary.Attempt.ID, name, maxReady)
	}
	var ids []trowel.TaskID
	for id, t := range r.rows {
		if strings.HasSuffix(t.FullName, name) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (r *reader) root() (*trowel.Task, error) {
	if r.ended {
		var root *trowel.Task
		for _, t := range r.rows {
			if t.ParentID == 0 {
				root = t
			}
		}
		return root, nil
	}
	// The root has the smallest id.
	id, err := r.tx.FindFirstTask(r.Ctx(), r.summary.Attempt.ID)
	if err != nil || id == 0 {
		return nil, err
	}
	return r.task(id)
}

// maxGroups is how many groups have their children read one by one. With more, the outlines of all tasks are read.
const maxGroups = 4

// readTogether reads the facts about some tasks in few queries: the tasks, their groups, and the upstreams of all these. If
// that is not enough for many of them, it reads the outlines of the whole attempt.
func (r *reader) readTogether(ids []trowel.TaskID) error {
	if r.ended {
		return nil
	}
	var found []trowel.TaskID // tasks and groups
	for next := ids; len(next) > 0; {
		if err := r.read(next...); err != nil {
			return err
		}
		found = append(found, next...)
		above := map[trowel.TaskID]bool{}
		for _, id := range next {
			if t := r.rows[id]; t != nil && t.ParentID != 0 && r.rows[t.ParentID] == nil {
				above[t.ParentID] = true
			}
		}
		next = slices.Collect(maps.Keys(above))
	}
	var upstreams []trowel.TaskID
	for _, id := range found {
		if t := r.rows[id]; t != nil && t.State == trowel.TaskBlocked && len(t.Upstreams) <= maxSiblings {
			upstreams = append(upstreams, t.Upstreams...)
		}
	}
	if err := r.read(upstreams...); err != nil {
		return err
	}
	groups := map[trowel.TaskID]bool{} // whose children are needed
	for _, id := range found {
		switch t := r.rows[id]; {
		case t == nil:
		case t.State == trowel.TaskBlocked && r.undecided(t):
			groups[t.ParentID] = true
		case t.State == trowel.TaskPlanned || t.State == trowel.TaskGroupRetryWaiting:
			groups[t.ID] = true
		}
	}
	if len(groups) <= maxGroups {
		return nil
	}
	outlines, err := r.tx.ListOutlines(r.Ctx(), r.summary.Attempt.ID, 0)
	r.facts.Tree, r.whole = reason.NewTree(outlines...), true
	return err
}
