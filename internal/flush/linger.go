package flush

import (
	"runtime"
	"sync/atomic"
	"time"
)

// linger makes the flusher wait a moment before a transaction, so that quick tasks share it. Tasks of one
// transaction begin together when it is committed. Without the wait, the quick ones would end just after the
// next transaction has begun, and wait for the one after it.
type linger struct {
	given int64        // tasks of the last transaction
	until atomic.Int64 // how long a task counts as quick: Unix time in nanoseconds
	quick atomic.Int64 // how many of them ended before that
	worth bool         // the tasks of the transaction before it were quick
}

const (
	// The flusher waits for 1/lingerPart of the length of a transaction at most, and never longer than
	// maxLinger.
	lingerPart = 8
	maxLinger  = 200 * time.Microsecond
	// lingerTasks is the number of tasks from which on a transaction is large enough without waiting.
	lingerTasks = 100
	// lingerTurns is how often it yields to other goroutines at most.
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

// open reports whether a task that ends now counts as quick.
func (l *linger) open(now time.Time) bool { return now.UnixNano() <= l.until.Load() }

// wait waits for quick tasks to end.
func (l *linger) wait() {
	if !l.worth {
		return
	}
	for turn := 0; turn < lingerTurns && l.quick.Load() < l.given && l.open(time.Now()); turn++ {
		runtime.Gosched()
	}
}
