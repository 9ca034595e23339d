package template

import "runtime"

// budget bounds the memory of one evaluation. JavaScript values live in the heap of the process, so
// nobody can say what one evaluation holds. But code announces what it makes; only when that is a
// lot, the heap is looked at, and only if the heap has grown as well, is the evaluation to blame.
// Evaluations that make little are never blamed for the growth of a busy process.
type budget struct {
	limit     uint64
	announced int
	base      uint64 // size of the heap when it was first looked at
}

// lookEvery is how many announced bytes pass between two looks at the heap.
const lookEvery = 16 << 20

// exceeded takes an announcement and reports whether the evaluation must end.
func (b *budget) exceeded(bytes int) bool {
	b.announced += max(0, bytes) // code may make up sizes
	if b.announced < lookEvery {
		return false
	}
	b.announced = 0
	heap := heapBytes()
	if b.base == 0 {
		b.base = heap
	}
	if heap <= b.base+b.limit {
		return false
	}
	runtime.GC() // what is garbage does not count
	return heapBytes() > b.base+b.limit
}

// heapBytes is the size of all objects in the heap, garbage not yet swept included. It stops the
// world for some microseconds.
func heapBytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
