package queue

import trowel "github.com/trowel-project/trowel"

// lane is a list of ready tasks that differ in nothing but their age, the oldest first.
type lane struct {
	key   laneKey
	items []*entry
	count int // of items that are not gone
	place int // in Backlog.lanes
	kept  kept
}

type entry struct {
	Ready
	lane *lane
	gone bool
}

// add puts an entry at its place; most are the youngest.
func (l *lane) add(e *entry) {
	e.lane = l
	l.count++
	at := len(l.items)
	for at > 0 && e.older(&l.items[at-1].Ready) {
		at--
	}
	l.items = append(l.items, nil)
	copy(l.items[at+1:], l.items[at:])
	l.items[at] = e
}

// from returns the place of the first entry at or after i, -1 if there is none.
func (l *lane) from(i int) int {
	for ; i < len(l.items); i++ {
		if !l.items[i].gone {
			return i
		}
	}
	return -1
}

// remove takes an entry out, and now and then those that are gone.
func (l *lane) remove(e *entry) {
	e.gone = true
	l.count--
	for len(l.items) > 0 && l.items[0].gone {
		l.items[0] = nil
		l.items = l.items[1:]
	}
	if len(l.items) > 2*l.count+16 {
		kept := make([]*entry, 0, l.count)
		for _, other := range l.items {
			if !other.gone {
				kept = append(kept, other)
			}
		}
		l.items = kept
	}
}

// attemptItems are the entries of one attempt.
type attemptItems map[trowel.TaskID]*entry
