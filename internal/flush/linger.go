package flush

import (
	"runtime"
	"sync/atomic"
	"time"
)

// linger makes the flusher wait a moment before a transaction, so that tasks that end at once share it. Those
// of one transaction begin together when it is committed, and the quick ones end together just after the
// next transaction has begun. They would wait for all of it, and then for their own.
type linger struct {
	given int64        // tasks of the last transaction
	until atomic.Int64 // the Unix time in nanoseconds until which their ends are worth waiting for
	quick atomic.Int64 // those that ended before
	worth bool         // the tasks of the transaction before were quick
}

const (
	// lingerPart is which part of the length of a transaction the flusher waits at most, and maxLinger how
	// long it waits however long that was.
	lingerPart = 8
	maxLinger  = 200 * time.Microsecond
	// lingerTasks is how many tasks make a transaction large enough without waiting.
	lingerTasks = 100
	// lingerTurns bounds how often it lets other goroutines run meanwhile.
	lingerTurns = 2000
)

// ended counts a report.
func (l *linger) ended(now time.Time) {
	if l.open(now) {
		l.quick.Add(1)
	}
}

// gave is called when the tasks of a transaction are given to their agents.
func (l *linger) gave(tasks int, at time.Time, took time.Duration) {
	l.worth = l.given > 0 && 2*l.quick.Load() >= l.given && tasks < lingerTasks
	l.given = int64(tasks)
	l.until.Store(at.Add(min(took/lingerPart, maxLinger)).UnixNano())
	l.quick.Store(0)
}

// open reports whether the moment in which tasks end quickly is not over.
func (l *linger) open(now time.Time) bool { return now.UnixNano() <= l.until.Load() }

// wait gives quick tasks their moment.
func (l *linger) wait() {
	if !l.worth {
		return
	}
	for turn := 0; turn < lingerTurns && l.quick.Load() < l.given && l.open(time.Now()); turn++ {
		runtime.Gosched()
	}
}
