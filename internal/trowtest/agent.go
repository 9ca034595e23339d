package trowtest

import (
	"maps"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Agent is an agent that only a flusher knows; it serves all queues. Its fields are set before a flusher has it.
type Agent struct {
	Name  string // its id
	Slots int    // how many tries it has at the same time
	Far   bool   // whether it is a remote one
	// Work says how a try ends; the agent adds which try it was. It may wait. If it is nil, all tries succeed.
	Work func(l *trowel.Lease) trowel.Report
	// Parallel says that tries run side by side, not one after the other.
	Parallel bool
	// Takes is how long a try lasts before Work is called.
	Takes time.Duration
	// Take, if it is set, is given each lease instead. The test calls Report when it likes.
	Take func(l *trowel.Lease)
	// OnCancel, if it is set, is called for each try that the agent is to stop.
	OnCancel func(try trowel.TryID)
	// CountBy says under which key a try counts in Peaks.
	CountBy func(l *trowel.Lease) string

	mu      sync.Mutex
	flusher *Flusher
	taken   int             // tries that it has
	peak    int             // the most that it had
	counts  map[string]int  // taken by key
	peaks   map[string]int  // peak by key
	waiting []*trowel.Lease // of tries that run one after the other
	working bool            // there is a goroutine for them
	running sync.WaitGroup
	stopped chan struct{} // closed at the end; nil before a flusher has the agent
}

// Success reports that a try has succeeded.
func Success(*trowel.Lease) trowel.Report { return trowel.Report{Outcome: trowel.OutcomeSuccess} }

// ID implements queue.Agent, like the methods below.
func (a *Agent) ID() string { return a.Name }

// Serves implements queue.Agent.
func (*Agent) Serves(*trowel.Requirements) bool { return true }

// Allows implements queue.Agent.
func (*Agent) Allows(*trowel.Requirements) bool { return true }

// Remote implements queue.Agent.
func (a *Agent) Remote() bool { return a.Far }

// Free implements queue.Agent.
func (a *Agent) Free() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Slots - a.taken
}

// Cancel implements queue.Agent.
func (a *Agent) Cancel(tries []trowel.TryID) {
	if a.OnCancel == nil {
		return
	}
	for _, try := range tries {
		a.OnCancel(try)
	}
}

// Assign implements queue.Agent.
func (a *Agent) Assign(leases []*trowel.Lease) {
	if a.Take != nil {
		a.take(leases)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range leases {
		a.count(l, 1)
	}
	switch {
	case a.hasStopped():
	case a.Parallel:
		for _, l := range leases {
			a.running.Go(func() { a.try(l) })
		}
	default:
		a.waiting = append(a.waiting, leases...)
		if !a.working {
			a.working = true
			a.running.Go(a.work)
		}
	}
}

func (a *Agent) take(leases []*trowel.Lease) {
	for _, l := range leases {
		a.mu.Lock()
		a.count(l, 1)
		a.mu.Unlock()
		a.Take(l)
	}
}

// work runs the tries that wait, one after the other.
func (a *Agent) work() {
	for {
		a.mu.Lock()
		if len(a.waiting) == 0 || a.hasStopped() {
			a.working = false
			a.mu.Unlock()
			return
		}
		l := a.waiting[0]
		a.waiting = a.waiting[1:]
		a.mu.Unlock()
		a.try(l)
	}
}

func (a *Agent) try(l *trowel.Lease) {
	if a.Takes > 0 {
		select {
		case <-time.After(a.Takes):
		case <-a.stopped:
			return
		}
	}
	work := a.Work
	if work == nil {
		work = Success
	}
	a.Report(l, work(l))
}

// Report reports how a try has ended that the agent has.
func (a *Agent) Report(l *trowel.Lease, r trowel.Report) {
	r.TaskID, r.AttemptID, r.Try = l.TaskID, l.AttemptID, l.Try
	a.mu.Lock()
	a.count(l, -1)
	f := a.flusher
	a.mu.Unlock()
	f.Report(r)
}

// ReportTo has the agent report to another flusher than the one that it was given to last.
func (a *Agent) ReportTo(f *Flusher) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flusher = f
}

// SetSlots changes how many tries the agent has at the same time. The flusher must be woken to notice it.
func (a *Agent) SetSlots(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.Slots = n
}

// Peak returns how many tries the agent had at the same time.
func (a *Agent) Peak() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.peak
}

// Peaks returns how many tries the agent had at the same time, by the keys of CountBy.
func (a *Agent) Peaks() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.peaks)
}

// count adds n tries like this one to those that the agent has.
func (a *Agent) count(l *trowel.Lease, n int) {
	a.taken += n
	a.peak = max(a.peak, a.taken)
	if a.CountBy == nil {
		return
	}
	if a.counts == nil {
		a.counts, a.peaks = map[string]int{}, map[string]int{}
	}
	key := a.CountBy(l)
	a.counts[key] += n
	a.peaks[key] = max(a.peaks[key], a.counts[key])
}

// stopAfter ends the agent when the test ends: it waits for tries that are in Work, and others end at once.
func (a *Agent) stopAfter(tb testing.TB) {
	tb.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.stopped != nil {
		return
	}
	a.stopped = make(chan struct{})
	tb.Cleanup(func() {
		a.mu.Lock()
		close(a.stopped)
		a.mu.Unlock()
		a.running.Wait()
	})
}

func (a *Agent) hasStopped() bool {
	select {
	case <-a.stopped:
		return true
	default:
		return false
	}
}
