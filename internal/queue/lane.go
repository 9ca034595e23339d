package queue

import (
	"cmp"
	"slices"

	trowel "github.com/trowel-project/trowel"
)

// lane is a list of ready tasks that differ in nothing but their age, the oldest first.
type lane struct {
	key   laneKey
	items []*entry
	count int  // of items that are not gone
	place int  // in Backlog.lanes
	mixed bool // items are not in order, for somebody older came behind somebody younger
	// blocked is what kept it from being picked last.
	blocked lastBlock
}

type entry struct {
	Ready
	lane *lane
	gone bool
}

// add puts an entry at the end. Thousands may become ready at once, in any order, so the list is put in order when
// somebody looks at it.
func (l *lane) add(e *entry) {
	e.lane = l
	l.count++
	if n := len(l.items); n > 0 && e.older(&l.items[n-1].Ready) {
		l.mixed = true
	}
	l.items = append(l.items, e)
}

// from returns the place of the first entry at or after i, -1 if there is none. Who looks begins with 0.
func (l *lane) from(i int) int {
	if l.mixed {
		l.mixed = false
		slices.SortFunc(l.items, func(a, b *entry) int {
			return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Task, b.Task)) // as older tells
		})
	}
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
