package queue

import (
	"cmp"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// lane is a list of ready tasks with equal requirements, oldest first.
type lane struct {
	key      laneKey
	items    []*entry
	count    int  // items that are not gone
	place    int  // in Backlog.lanes
	unsorted bool // items are not sorted: an older one was added behind a younger one
	// blocked is what kept it from being picked last.
	blocked lastBlock
}

type entry struct {
	Ready
	lane *lane
	gone bool
}

// add appends an entry. Thousands of tasks may become ready at once, in any order, so the list is sorted only when it is
// read.
func (l *lane) add(e *entry) {
	e.lane = l
	l.count++
	if n := len(l.items); n > 0 && e.older(&l.items[n-1].Ready) {
		l.unsorted = true
	}
	l.items = append(l.items, e)
}

// next returns the place of the first entry at or after i; -1 if there is none. It sorts the list if needed, so readers
// start with 0.
func (l *lane) next(i int) int {
	if l.unsorted {
		l.unsorted = false
		slices.SortFunc(l.items, func(a, b *entry) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Task, b.Task)) // the order of older
		})
	}
	for ; i < len(l.items); i++ {
		if !l.items[i].gone {
			return i
		}
	}
	return -1
}

// remove takes an entry out. From time to time it frees the space of removed entries.
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
