package flush

import trowel "github.com/trowel-project/trowel"

// maxReloads is how many attempts are reloaded between two transactions.
const maxReloads = 100

// reloadQueue has the attempts that other servers may have changed.
type reloadQueue struct {
	ids []trowel.AttemptID
	// wanted has all attempts of ids. The value says whether to reload one even if its tree is not in memory.
	wanted map[trowel.AttemptID]bool
	lists  []listing
}

// listing has all running attempts. An attempt in memory that is not in it has ended.
type listing struct {
	versions map[trowel.AttemptID]int64
	wanted   bool // as in reloadQueue.wanted
}

func (q *reloadQueue) add(ids []trowel.AttemptID, wanted bool) {
	if q.wanted == nil {
		q.wanted = map[trowel.AttemptID]bool{}
	}
	for _, id := range ids {
		was, queued := q.wanted[id]
		q.wanted[id] = was || wanted
		if !queued {
			q.ids = append(q.ids, id)
		}
	}
}

// take returns the next attempts that are wanted, have a tree in memory, or are waited for.
func (q *reloadQueue) take(c *cache) []trowel.AttemptID {
	for _, l := range q.lists {
		q.add(l.differing(c), l.wanted)
	}
	q.lists = nil
	var ids []trowel.AttemptID
	for len(q.ids) > 0 && len(ids) < maxReloads {
		id := q.ids[0]
		q.ids = q.ids[1:]
		if a := c.get(id); q.wanted[id] || a != nil && (a.tree != nil || len(a.waiters) > 0) {
			ids = append(ids, id)
		}
		delete(q.wanted, id)
	}
	return ids
}

// differing lists the attempts that have a newer version in the store than in memory, and those that have
// ended.
func (l *listing) differing(c *cache) []trowel.AttemptID {
	var ids []trowel.AttemptID
	for id, version := range l.versions {
		if a := c.get(id); a == nil || a.version < version {
			ids = append(ids, id)
		}
	}
	for id := range c.byID {
		if _, running := l.versions[id]; !running {
			ids = append(ids, id)
		}
	}
	return ids
}
