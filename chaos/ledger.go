package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trowel-project/trowel/internal/api"
)

// ledger has what servers have promised, and what was seen that must never be.
type ledger struct {
	mu        sync.Mutex
	projects  []*project
	attempts  map[api.ID]*promise
	backfills []backfill
	logs      map[logKey]string // the longest text that was read from a file
	wrong     []string
	counts    map[string]int
}

// project is a pushed project with its newest revision.
type project struct {
	id        api.ID
	name      string
	revisions map[string][]byte // accepted archives by name
	workflows map[string]api.ID // of the newest revision that the load knows
	ticks     bool              // it has a schedule
	token     token
}

// token is the value of a secret that was set, with later values that may have been set.
type token struct {
	value string
	maybe []string
}

// promise is an attempt that a server has accepted.
type promise struct {
	id       api.ID
	workflow string
	want     string // how it ends unless somebody kills it
	killed   bool   // a kill was accepted
	maybe    bool   // a kill may have been accepted
	seen     *result
}

// result is an end of an attempt that a server has reported.
type result struct {
	Status   string
	Finished string
	Tasks    []string
}

// backfill is a backfill that was accepted, perhaps with a lost answer and a refused second request.
type backfill struct {
	project  api.ID
	name     string
	sessions int
}

type logKey struct {
	attempt api.ID
	file    string
}

func newLedger() *ledger {
	return &ledger{attempts: map[api.ID]*promise{}, logs: map[logKey]string{}, counts: map[string]int{}}
}

// maxWrong is the largest number of violations that are reported.
const maxWrong = 30

// violation records something that must never be.
func (l *ledger) violation(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts["violations"]++
	if len(l.wrong) < maxWrong && !slices.Contains(l.wrong, text) {
		l.wrong = append(l.wrong, text)
	}
}

func (l *ledger) count(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[what]++
}

// accept records a new attempt.
func (l *ledger) accept(id api.ID, workflow, want string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.attempts[id] == nil {
		l.attempts[id] = &promise{id: id, workflow: workflow, want: want}
		l.counts["attempts"]++
	}
}

// open returns the attempts whose end was not seen, oldest first.
func (l *ledger) open() []*promise {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []*promise
	for _, p := range l.attempts {
		if p.seen == nil {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b *promise) int { return int(a.id - b.id) })
	return list
}

// countOf returns how many attempts of a workflow there are, and for how many the end was seen.
func (l *ledger) countOf(workflow string) (begun, ended int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.attempts {
		if p.workflow == workflow {
			begun++
			if p.seen != nil {
				ended++
			}
		}
	}
	return begun, ended
}

// all returns all attempts, oldest first.
func (l *ledger) all() []*promise {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*promise, 0, len(l.attempts))
	for _, p := range l.attempts {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *promise) int { return int(a.id - b.id) })
	return list
}

// project returns the n-th newest project, or nil if there are fewer.
func (l *ledger) project(n int) *project {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n >= len(l.projects) {
		return nil
	}
	return l.projects[len(l.projects)-1-n]
}

// summary returns one line about the load.
func (l *ledger) summary(trouble int, took time.Duration) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var text strings.Builder
	fmt.Fprintf(&text, "%d troubles in %.0f s", trouble, took.Seconds())
	for _, what := range []string{
		"pushes", "attempts", "ends seen", "resumes", "kills", "backfills", "sessions of schedules", "secrets", "logs read",
		"unknown answers", "refused while away", "tries", "tries lost",
		"agents without room", "agents killed by tasks", "tasks set aside", "starts in vain", "agents told to drain", "tries of agents that nobody saw",
	} {
		if l.counts[what] > 0 {
			fmt.Fprintf(&text, ", %d %s", l.counts[what], what)
		}
	}
	return text.String()
}
