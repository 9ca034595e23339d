package flush

import (
	"runtime"
	"sync/atomic"
	"time"
)

// gathering lets tasks that end at once share a transaction. Those of one transaction begin together when
// it is committed, and the quick ones among them end together just after the next transaction has begun:
// they would wait for all of it, and then for their own. A moment of patience before it is less.
type gathering struct {
	given int64        // tasks of the last transaction
	until atomic.Int64 // the Unix time in nanoseconds until when their ends are worth to be waited for
	quick atomic.Int64 // those that ended before
	worth bool         // the tasks of the transaction before were quick
}

const (
	// gatherPart is which part of the length of a transaction the flusher waits at most, and gatherMost how
	// long however long it was.
	gatherPart = 8
	gatherMost = 200 * time.Microsecond
	// gatherTasks is from how many tasks on a transaction is large enough without that.
	gatherTasks = 100
	// gatherTurns bounds how often it lets others run meanwhile.
	gatherTurns = 2000
)

// ended counts a report.
func (g *gathering) ended(now time.Time) {
	if g.open(now) {
		g.quick.Add(1)
	}
}

// gave is called when the tasks of a transaction are given to their agents.
func (g *gathering) gave(tasks int, at time.Time, took time.Duration) {
	g.worth = g.given > 0 && 2*g.quick.Load() >= g.given && tasks < gatherTasks
	g.given = int64(tasks)
	g.until.Store(at.Add(min(took/gatherPart, gatherMost)).UnixNano())
	g.quick.Store(0)
}

// open reports whether the moment in which tasks end quickly is not over.
func (g *gathering) open(now time.Time) bool { return now.UnixNano() <= g.until.Load() }

// wait gives quick tasks their moment.
func (g *gathering) wait() {
	if !g.worth {
		return
	}
	for turn := 0; turn < gatherTurns && g.quick.Load() < g.given && g.open(time.Now()); turn++ {
		runtime.Gosched()
	}
}
