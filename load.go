package trowel

import (
	"context"
	"math"
	"slices"
	"time"
)

// UseStep is the length of time of which one PoolUse tells.
const UseStep = 5 * time.Minute

// PoolUse is how much of a pool was used and wanted in one UseStep: what was found when somebody looked.
type PoolUse struct {
	Pool        PoolID
	At          time.Time // the beginning of the step
	Samples     int       // how often somebody looked
	Slots       int       // of the pool, at the last sample in which it was used or wanted
	Used        int       // slots, summed over all samples
	MostUsed    int       // in one of them
	Waiting     int       // ready tasks, summed over all samples
	MostWaiting int
}

// HandOffs are tasks of a queue that went to agents in some seconds: how many had been ready for how long.
type HandOffs struct {
	At     time.Time // the end of these seconds
	Queue  string
	Counts map[int]int // by the number of a class of lengths of time
}

// classesOfTwo is how many classes there are between a length of time and its double.
const classesOfTwo = 8

// Add counts a task that was ready for so long. Lengths of time in one class differ by up to 9 %.
func (h *HandOffs) Add(ready time.Duration) {
	class := 0
	if us := ready.Microseconds(); us > 1 {
		class = int(math.Log2(float64(us)) * classesOfTwo)
	}
	if h.Counts == nil {
		h.Counts = map[int]int{}
	}
	h.Counts[class]++
}

// Merge adds what others counts.
func (h *HandOffs) Merge(others *HandOffs) {
	if h.Counts == nil {
		h.Counts = make(map[int]int, len(others.Counts))
	}
	for class, n := range others.Counts {
		h.Counts[class] += n
	}
}

// Total is how many tasks are counted.
func (h *HandOffs) Total() (n int) {
	for _, count := range h.Counts {
		n += count
	}
	return n
}

// Within returns the length of time within which a part of the tasks was handed out, as 0.99, to 5 %; zero
// if there are none.
func (h *HandOffs) Within(part float64) time.Duration {
	classes := make([]int, 0, len(h.Counts))
	for class := range h.Counts {
		classes = append(classes, class)
	}
	slices.Sort(classes)
	left := int(math.Ceil(part * float64(h.Total())))
	for _, class := range classes {
		if left -= h.Counts[class]; left <= 0 {
			return time.Duration(math.Exp2((float64(class)+0.5)/classesOfTwo) * float64(time.Microsecond))
		}
	}
	return 0
}

// LoadTx is the part of a transaction about how busy pools and queues were.
type LoadTx interface {
	// AddPoolUses adds a sample of all pools that are used or wanted to what is known of its UseStep. If the last sample of
	// anybody was taken less than apart before, it does nothing and returns false.
	AddPoolUses(ctx context.Context, at time.Time, apart time.Duration, uses []PoolUse) (bool, error)
	// ListPoolUses returns the use of a pool since an instant in the order of time: one for each step in
	// which somebody looked.
	ListPoolUses(ctx context.Context, pool PoolID, since time.Time) ([]PoolUse, error)
	// FindPoolSample returns when the last sample was taken; the zero instant if there is none.
	FindPoolSample(ctx context.Context) (time.Time, error)
	// InsertHandOffs stores hand-offs.
	InsertHandOffs(ctx context.Context, list []HandOffs) error
	// ListHandOffs returns the hand-offs since an instant.
	ListHandOffs(ctx context.Context, since time.Time) ([]HandOffs, error)
	// DeleteLoad deletes the uses of pools, and the hand-offs, from before two instants.
	DeleteLoad(ctx context.Context, uses, handOffs time.Time) error
}
