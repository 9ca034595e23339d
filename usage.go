package trowel

import (
	"context"
	"math"
	"slices"
	"time"
)

// UsageStep is the period that one PoolUsage sums up.
const UsageStep = 5 * time.Minute

// PoolUsage is how much of a pool was used and wanted during one UseStep, by samples that servers took.
type PoolUsage struct {
	Pool        PoolID    // the pool
	At          time.Time // the beginning of the step
	Samples     int       // how many samples were taken
	Slots       int       // slots of the pool at the last sample in which it was used or wanted
	Used        int       // slots in use, summed over all samples
	MostUsed    int       // the most slots in use in one sample
	Waiting     int       // ready tasks that wait for the pool, summed over all samples
	MostWaiting int       // the most ready tasks in one sample
}

// HandOffs counts the tasks of a queue that went to agents within a few seconds, by how long they had been ready.
type HandOffs struct {
	At     time.Time   // the end of these seconds
	Queue  string      // the queue
	Counts map[int]int // number of tasks by class of waiting time, see Add; nil for none
}

// classesOfTwo is the number of classes between a duration and its double.
const classesOfTwo = 8

// Add counts a task that had been ready for so long. Durations of one class differ by up to 9 %.
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

// Merge adds the counts of others.
func (h *HandOffs) Merge(others *HandOffs) {
	if h.Counts == nil {
		h.Counts = make(map[int]int, len(others.Counts))
	}
	for class, n := range others.Counts {
		h.Counts[class] += n
	}
}

// Total returns how many tasks are counted.
func (h *HandOffs) Total() (n int) {
	for _, count := range h.Counts {
		n += count
	}
	return n
}

// Within returns the time within which a fraction of the tasks, such as 0.99, went to agents. It is exact to 5 %,
// and zero if there are no tasks.
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

// UsageTx is the part of a transaction about how busy pools and queues were.
type UsageTx interface {
	// AddPoolUsage adds a sample of all pools that are used or wanted to its UseStep. It does nothing and returns
	// false if any server took a sample less than apart before.
	AddPoolUsage(ctx context.Context, at time.Time, apart time.Duration, uses []PoolUsage) (bool, error)
	// ListPoolUsage returns the use of a pool since an instant in the order of time, one for each step with samples.
	ListPoolUsage(ctx context.Context, pool PoolID, since time.Time) ([]PoolUsage, error)
	// FindPoolSample returns when the last sample was taken, or zero if there is none.
	FindPoolSample(ctx context.Context) (time.Time, error)
	// InsertHandOffs stores hand-offs.
	InsertHandOffs(ctx context.Context, list []HandOffs) error
	// ListHandOffs returns the hand-offs since an instant.
	ListHandOffs(ctx context.Context, since time.Time) ([]HandOffs, error)
	// DeleteUsage deletes the uses of pools that are older than the first instant, and the hand-offs that are
	// older than the second.
	DeleteUsage(ctx context.Context, uses, handOffs time.Time) error
}
