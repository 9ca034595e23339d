package flush

import (
	trowel "github.com/trowel-project/trowel"
)

// spare is the memory of the rows of a committed transaction, which the next one uses again: to let lists grow for
// each transaction would allocate several times what they hold.
type spare struct {
	inserts []*trowel.Task
	updates []trowel.TaskUpdate
	rows    map[*trowel.Task]int
	audits  []trowel.AuditEntry
	logs    []trowel.LogChunk

	changes, tries int // how many the batch had; its lists are not used again, as listeners saw them
}

const (
	// mostSpare is the largest number of rows whose list is kept.
	mostSpare = 1 << 14
	// mostAnew is the largest number of rows whose map is kept, as to empty a map takes as long as it once was large, and
	// the largest size with which the lists of a batch begin.
	mostAnew = 1 << 9
)

// take takes the memory of a committed transaction, whose rows nobody needs any more.
func (s *spare) take(c *changes) {
	s.inserts, s.updates = emptied(c.inserts), emptied(c.updates)
	s.audits, s.logs = emptied(c.audits), emptied(c.logs)
	s.changes, s.tries = min(len(c.batch.Changes), mostAnew), min(len(c.batch.Tries), mostAnew)
	s.rows = emptiedMap(c.rows)
	c.inserts, c.updates, c.rows, c.audits, c.logs = nil, nil, nil, nil, nil
}

// emptied returns the memory of a list, without what the list held.
func emptied[T any](list []T) []T {
	if cap(list) > mostSpare {
		return nil
	}
	clear(list)
	return list[:0]
}

// emptiedMap is emptied for a map.
func emptiedMap[K comparable, V any](m map[K]V) map[K]V {
	if m == nil || len(m) > mostAnew {
		return map[K]V{}
	}
	clear(m)
	return m
}
