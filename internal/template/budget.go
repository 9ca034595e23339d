package template

import "runtime"

// budget limits the memory of one evaluation. JavaScript values live in the heap of the process, so
// it is not known how much one evaluation holds. But code announces what it makes. If that is
// a lot, budget measures the heap, and blames the evaluation only if the heap has grown as well.
// So evaluations that make little are never blamed for the growth of a busy process.
type budget struct {
	limit     uint64
	announced int
	base      uint64 // size of the heap at the first measurement
}

// lookEvery is how many announced bytes there are between two measurements of the heap.
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
	runtime.GC() // garbage does not count
	return heapBytes() > b.base+b.limit
}

// heapBytes returns the size of all objects in the heap, garbage not yet swept included. It stops the
// world for some microseconds.
func heapBytes() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
