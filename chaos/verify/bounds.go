package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	trowel "github.com/trowel-project/trowel"
)

// Term says how long something counts for a bound.
type Term int

// The terms.
const (
	WhileRunning Term = iota // from the claim of a task until it leaves RUNNING
	UntilDone                // from the first claim of a task until it is done, or made again
	WhileActive              // from the admission of an attempt until its end
)

// Bound is a limit that was in force all the time.
type Bound struct {
	Name string
	Max  int
	Term Term
	// Works is set if a task stops counting when its try has ended, even before that is
	// committed: an agent has room for the next one as soon as it has sent the report.
	Works bool
	// Takes returns the group in which something counts, and how much. Zero means not at all. For an attempt
	// (WhileActive) it is called with its root.
	Takes func(a *Attempt, t *trowel.Task, agent string) (group string, amount int)
}

// place is what something has taken.
type place struct {
	group  string
	amount int
	who    string
	ended  time.Time // when the try ended, according to its report; zero if there is none
}

// counter counts one bound through a history.
type counter struct {
	bound Bound
	taken map[taskKey]place
	sums  map[string]int
	taker map[string]bool // groups from which the present transaction takes
	ends  map[tryKey]time.Time
}

// bounds replays the history. After each transaction that takes something from a limit, it checks that
// the total is not more than the limit allows.
func (f *findings) bounds(h *History, bounds []Bound) {
	counters := make([]*counter, len(bounds))
	for i, b := range bounds {
		counters[i] = &counter{bound: b, taken: map[taskKey]place{}, sums: map[string]int{}, ends: ends(h)}
	}
	tasks, roots := index(h)
	waits := waiting(h, roots)
	named := states()
	for _, c := range h.Commits {
		for _, n := range counters {
			n.taker = map[string]bool{}
			for i := range c.Entries {
				e := &c.Entries[i]
				a := h.Attempts[e.AttemptID]
				if a == nil {
					continue
				}
				n.entry(a, tasks[taskKey{a.ID, e.TaskID}], roots[a.ID], waits[a.ID], named[e.To], e)
			}
			n.judge(f, &c)
		}
	}
	for _, n := range counters {
		for _, p := range n.taken {
			f.add("%s: %s has not given back what it has of %s", n.bound.Name, p.who, p.group)
		}
	}
}

// index finds tasks and roots.
func index(h *History) (tasks map[taskKey]*trowel.Task, roots map[trowel.AttemptID]*trowel.Task) {
	tasks, roots = map[taskKey]*trowel.Task{}, map[trowel.AttemptID]*trowel.Task{}
	for _, a := range h.Attempts {
		for _, t := range a.Tasks {
			tasks[taskKey{a.ID, t.ID}] = t
			if t.ParentID == 0 {
				roots[a.ID] = t
			}
		}
	}
	return tasks, roots
}

// ends returns when tries have ended.
func ends(h *History) map[tryKey]time.Time {
	at := map[tryKey]time.Time{}
	for _, a := range h.Attempts {
		for i := range a.Tries {
			t := &a.Tries[i]
			at[tryKey{a.ID, trowel.TryID{Task: t.TaskID, Number: t.Number}}] = t.EndedAt
		}
	}
	return at
}

// waiting returns the attempts that were not admitted at their start: their root was blocked.
func waiting(h *History, roots map[trowel.AttemptID]*trowel.Task) map[trowel.AttemptID]bool {
	waits := map[trowel.AttemptID]bool{}
	for _, c := range h.Commits {
		for i := range c.Entries {
			e := &c.Entries[i]
			if root := roots[e.AttemptID]; root != nil && root.ID == e.TaskID && e.From == trowel.TaskBlocked.String() {
				waits[e.AttemptID] = true
			}
		}
	}
	return waits
}

// entry takes or gives back what an entry of the audit means.
func (n *counter) entry(a *Attempt, t, root *trowel.Task, waited bool, to trowel.TaskState, e *trowel.AuditEntry) {
	key := taskKey{e.AttemptID, e.TaskID}
	if n.bound.Term == WhileActive {
		switch {
		case root == nil:
		case e.TaskID == 0 && e.From == "" && !waited, e.TaskID == root.ID && e.From == trowel.TaskBlocked.String() && !to.Done():
			n.take(taskKey{attempt: a.ID}, a, root, e)
		case isEnd(e):
			n.give(taskKey{attempt: a.ID})
		}
		return
	}
	switch {
	case t == nil:
	case isClaim(e):
		n.take(key, a, t, e)
	case n.bound.Term == WhileRunning && isRelease(e), to.Done(), to == trowel.TaskBlocked:
		n.give(key)
	}
}

func (n *counter) take(key taskKey, a *Attempt, t *trowel.Task, e *trowel.AuditEntry) {
	group, amount := n.bound.Takes(a, t, e.Actor)
	if amount == 0 {
		return
	}
	n.give(key) // a place that it has kept
	ended := n.ends[tryKey{a.ID, trowel.TryID{Task: e.TaskID, Number: e.Try}}]
	n.taken[key] = place{group, amount, a.Workflow + " " + t.FullName, ended}
	n.sums[group] += amount
	n.taker[group] = true
}

// maxNamed is the largest number of names in a finding about a limit.
const maxNamed = 10

// name returns the name of a holder in a finding.
func (p place) name(key taskKey) string { return fmt.Sprintf("%s of attempt %d", p.who, key.attempt) }

func (n *counter) give(key taskKey) {
	if p, ok := n.taken[key]; ok {
		n.sums[p.group] -= p.amount
		delete(n.taken, key)
	}
}

// judge checks the groups from which a transaction has taken something.
func (n *counter) judge(f *findings, c *Commit) {
	for group := range n.taker {
		if n.sums[group] <= n.bound.Max {
			continue
		}
		sum := 0
		var who []string
		for key, p := range n.taken {
			if p.group != group || n.bound.Works && !p.ended.IsZero() && !p.ended.After(c.At) {
				continue
			}
			if sum += p.amount; len(who) < maxNamed {
				who = append(who, p.name(key))
			}
		}
		if sum <= n.bound.Max {
			continue
		}
		slices.SortFunc(who, cmp.Compare)
		f.add("%s of %s: %d are taken at %s, %d are allowed: %s", n.bound.Name, group, sum, c.At, n.bound.Max, strings.Join(who, ", "))
	}
}
