package flush

import (
	"container/heap"
	"time"
)

// alarm is an instant at which an attempt goes on.
type alarm struct {
	at   time.Time
	what request
}

// alarmHeap implements heap.Interface: the alarms of one attempt, the earliest first.
type alarmHeap []alarm

func (h alarmHeap) Len() int           { return len(h) }
func (h alarmHeap) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h alarmHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *alarmHeap) Push(x any)        { *h = append(*h, x.(alarm)) } //nolint:forcetypeassert // the heap holds nothing else
func (h *alarmHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = alarm{}
	*h = old[:len(old)-1]
	return last
}

// attemptHeap implements heap.Interface: attempts that have alarms, by the earliest of each.
type attemptHeap []*attempt

func (h attemptHeap) Len() int           { return len(h) }
func (h attemptHeap) Less(i, j int) bool { return h[i].alarms[0].at.Before(h[j].alarms[0].at) }
func (h attemptHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *attemptHeap) Push(x any) {
	a := x.(*attempt) //nolint:forcetypeassert // the heap holds nothing else
	a.place = len(*h)
	*h = append(*h, a)
}

func (h *attemptHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	last.place = -1
	*h = old[:len(old)-1]
	return last
}

// fix puts an attempt at its place after its alarms have changed.
func (h *attemptHeap) fix(a *attempt) {
	switch {
	case len(a.alarms) == 0:
		if a.place >= 0 {
			heap.Remove(h, a.place)
		}
	case a.place < 0:
		heap.Push(h, a)
	default:
		heap.Fix(h, a.place)
	}
}
