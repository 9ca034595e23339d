package flush

import (
	trowel "github.com/trowel-project/trowel"
)

// looks are attempts that may have changed without this flusher's doing. They are read when their
// turn comes, some in each transaction, so that a store full of them keeps nobody waiting.
type looks struct {
	queue  []trowel.AttemptID
	queued map[trowel.AttemptID]bool
	lists  []list
}

// list is what a listing of the running attempts found.
type list struct {
	versions map[trowel.AttemptID]int64
	// all tells that it has all running attempts: one that is in memory and not here has ended.
	all bool
}

func (l *looks) add(ids []trowel.AttemptID) {
	if l.queued == nil {
		l.queued = map[trowel.AttemptID]bool{}
	}
	for _, id := range ids {
		if !l.queued[id] {
			l.queued[id] = true
			l.queue = append(l.queue, id)
		}
	}
}

// take appends a look at each of the next attempts; those that are not in memory only if they are
// adopted.
func (l *looks) take(batch []*event, im *images, adopt bool) []*event {
	for _, found := range l.lists {
		l.add(found.differing(im))
	}
	l.lists = nil
	n := min(len(l.queue), maxLooks)
	for _, id := range l.queue[:n] {
		delete(l.queued, id)
		if !adopt && im.byID[id] == nil {
			continue
		}
		batch = append(batch, &event{attempt: id})
	}
	l.queue = l.queue[n:]
	return batch
}

// differing lists the attempts of which the images know less than the store.
func (found *list) differing(im *images) []trowel.AttemptID {
	var ids []trowel.AttemptID
	for id, version := range found.versions {
		a := im.byID[id]
		if a == nil || a.Image == nil || a.Attempt.Version < version {
			ids = append(ids, id)
		}
	}
	if found.all {
		for id := range im.byID {
			if _, running := found.versions[id]; !running {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
