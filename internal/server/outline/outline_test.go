package outline_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	trowel "github.com/trowel-project/trowel"
	"github.com/trowel-project/trowel/internal/param"
	"github.com/trowel-project/trowel/internal/server/outline"
	"github.com/trowel-project/trowel/internal/trowtest"
)

// attempts stores attempts with random tasks and changes them.
type attempts struct {
	t       *testing.T
	db      trowel.Store
	random  *rand.Rand
	id      trowel.AttemptID
	attempt trowel.Attempt // for change alone
	tasks   []*trowel.Task
}

// begin stores an attempt.
func begin(t *testing.T, db trowel.Store, seed uint64, tasks int) *attempts {
	t.Helper()
	a := &attempts{t: t, db: db, random: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // the same each time
	trowtest.Update(t, db, func(tx trowel.Tx) error {
		p, w := &trowel.Project{Name: fmt.Sprint("p", seed), CreatedAt: time.Now()}, &trowel.Workflow{Name: "main", Zone: "UTC", Definition: param.New()}
		if err := tx.InsertRevision(t.Context(), p, &trowel.Revision{Name: "r", CreatedAt: time.Now()}, []*trowel.Workflow{w}); err != nil {
			return err
		}
		a.attempt = trowel.Attempt{WorkflowID: w.ID, Zone: "UTC", Cause: "start", CreatedAt: time.Now(), Version: 1}
		if err := tx.InsertAttempt(t.Context(), &trowel.Session{ProjectID: p.ID, Workflow: "main", Time: time.Unix(0, 0), UUID: "u"}, &a.attempt); err != nil {
			return err
		}
		a.id = a.attempt.ID
		return tx.InsertTasks(t.Context(), a.add(tasks))
	})
	return a
}

// add makes new tasks below random ones.
func (a *attempts) add(n int) []*trowel.Task {
	from := len(a.tasks)
	for range n {
		id := len(a.tasks)
		task := &trowel.Task{
			ID: trowel.TaskID(int(a.attempt.ID)*1000 + id + 1), AttemptID: a.attempt.ID, FullName: "+main", Group: a.random.IntN(3) == 0,
			State: a.state(), UpdatedAt: time.UnixMicro(int64(id + 1)), Version: a.attempt.Version,
		}
		if id > 0 {
			parent := a.tasks[a.random.IntN(id)]
			task.ParentID, task.FullName, task.ParentRound = parent.ID, fmt.Sprintf("%s+t%d", parent.FullName, id), parent.Round
			if id > 1 && a.random.IntN(2) == 0 {
				task.Upstreams = []trowel.TaskID{a.tasks[a.random.IntN(id)].ID}
			}
		}
		a.tasks = append(a.tasks, task)
	}
	return a.tasks[from:]
}

func (a *attempts) state() trowel.TaskState { return trowel.TaskState(a.random.IntN(11)) } //nolint:gosec // small

// change changes some tasks, adds some, and raises the version.
func (a *attempts) change() {
	trowtest.Update(a.t, a.db, func(tx trowel.Tx) error {
		ctx := a.t.Context()
		locked, err := tx.LockAttempts(ctx, []trowel.AttemptID{a.attempt.ID})
		if err != nil {
			return err
		}
		a.attempt = *locked[0]
		a.attempt.Version++
		var updates []trowel.TaskUpdate
		var audits []trowel.AuditEntry
		for range 3 {
			task := a.tasks[a.random.IntN(len(a.tasks))]
			if slices.ContainsFunc(updates, func(u trowel.TaskUpdate) bool { return u.Task == task }) {
				continue
			}
			from := task.State
			task.State, task.Version = a.state(), a.attempt.Version
			if a.random.IntN(8) == 0 {
				task.Round++
			}
			updates = append(updates, trowel.TaskUpdate{Task: task, From: from, Detail: true})
			audits = append(audits, trowel.AuditEntry{At: time.Now(), AttemptID: a.attempt.ID, TaskID: task.ID, To: task.State.String()})
		}
		if err := tx.UpdateAttempts(ctx, &a.attempt); err != nil {
			return err
		}
		if err := tx.UpdateTasks(ctx, updates); err != nil {
			return err
		}
		if err := tx.InsertAudits(ctx, audits); err != nil {
			return err
		}
		return tx.InsertTasks(ctx, a.add(a.random.IntN(3)))
	})
}

// read calls f with the tree of the attempt as it is stored now.
func (a *attempts) read(cache *outline.Cache, f func(t *outline.Tree)) {
	a.t.Helper()
	trowtest.View(a.t, a.db, func(tx trowel.Tx) error {
		row, err := tx.FindAttempt(a.t.Context(), a.id)
		if err != nil {
			return err
		}
		return cache.Read(a.t.Context(), tx, row, func(t *outline.Tree) error { f(t); return nil })
	})
}

// queries are those that are compared.
func queries(t *outline.Tree) []outline.Query {
	list := []outline.Query{
		{Depth: 1},
		{Depth: 3},
		{Flat: true},
		{Flat: true, Filter: []string{"failed", "running"}},
		{Flat: true, Filter: []string{"not_reached"}},
		{Flat: true, Filter: []string{"waiting"}, Text: "T1"},
		{Flat: true, Filter: []string{outline.Superseded}},
		{Flat: true, Sort: outline.SortTime},
		{Flat: true, Sort: outline.SortStart, Filter: []string{"success", "error"}},
	}
	if t.Root != nil && len(t.Root.Children) > 0 {
		child := t.Root.Children[len(t.Root.Children)/2]
		list = append(list, outline.Query{Parent: t.Root, Depth: 1}, outline.Query{Parent: t.Root, Depth: 2, Text: "t"}, outline.Query{Parent: child, Flat: true},
			outline.Query{Parent: child, Depth: 1, Sort: outline.SortStart})
	}
	return list
}

// text is all that a tree shows.
func text(tree *outline.Tree) (lines []string) {
	for i, q := range queries(tree) {
		s := tree.Select(q)
		whole, _ := s.Page(nil, 10_000)
		var paged []*outline.Node
		for key := (*outline.Key)(nil); ; {
			page, next := s.Page(key, 3)
			if paged = append(paged, page...); next == nil {
				break
			}
			key = next
		}
		if !slices.Equal(whole, paged) {
			lines = append(lines, fmt.Sprintf("query %d has other tasks by page: %d, not %d", i, len(paged), len(whole)))
		}
		matching := 0
		for _, n := range whole {
			if s.Has(n) {
				matching++
			}
			lines = append(lines, fmt.Sprint(i, n.ID, n.FullName, n.State, n.Depth, n.Index(), n.Counts, tree.Unreached(n), s.Has(n)))
		}
		if q.Flat && q.Filter != nil && matching != s.Matches {
			lines = append(lines, fmt.Sprintf("query %d: %d matches are told, %d listed", i, s.Matches, matching))
		}
	}
	return lines
}

// A tree that was brought up to date again and again is the same as one that is read anew, and its pages together are the whole.
func TestTreeFollowsChanges(t *testing.T) {
	t.Parallel()
	db := trowtest.Store(t)
	for seed := range uint64(20) {
		a := begin(t, db, seed, 5+int(seed)*5) //nolint:gosec // small
		known := outline.NewCache(1 << 20)
		for range 20 {
			var got, want []string
			a.read(known, func(t *outline.Tree) { got = text(t) })
			a.read(outline.NewCache(1), func(tree *outline.Tree) {
				want = text(tree)
				checkCounts(t, tree)
			})
			if !slices.Equal(got, want) {
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("seed %d: line %d is %s, want %s", seed, i, got[i], want[i])
					}
				}
				t.Fatalf("seed %d: %d lines, want %d", seed, len(got), len(want))
			}
			if slices.ContainsFunc(want, func(line string) bool { return line[0] == 'q' }) {
				t.Fatalf("seed %d: %s", seed, want)
			}
			a.change()
		}
	}
}

// checkCounts counts what is below each task by walking there.
func checkCounts(t *testing.T, tree *outline.Tree) {
	t.Helper()
	tree.All(func(n *outline.Node) {
		var want outline.Counts
		var below func(n *outline.Node)
		below = func(n *outline.Node) {
			for _, child := range n.Children {
				below(child)
				switch {
				case child.Group:
				case tree.Unreached(child):
					want[outline.Unreached]++
				default:
					want[child.State]++
				}
			}
		}
		below(n)
		if !n.Old && (n.Counts == nil && len(n.Children) > 0 || n.Counts != nil && *n.Counts != want) {
			t.Errorf("counts of %s are %v, want %v", n.FullName, n.Counts, want)
		}
	})
}

// Many may read while the attempt changes, and what was not read lately is forgotten when there is too much.
func TestCache(t *testing.T) {
	t.Parallel()
	db := trowtest.FileStore(t)
	cache := outline.NewCache(40_000)
	var list []*attempts
	for seed := range uint64(4) {
		list = append(list, begin(t, db, 100+seed, 50))
	}
	var all sync.WaitGroup
	for _, a := range list {
		for range 3 {
			all.Go(func() {
				version := int64(0)
				for range 20 {
					a.read(cache, func(tree *outline.Tree) {
						if tree.Version < version {
							t.Errorf("version %d after %d", tree.Version, version)
						}
						version = tree.Version
						text(tree)
					})
				}
			})
		}
		all.Go(func() {
			for range 20 {
				a.change()
			}
		})
	}
	all.Wait()
	for _, a := range list {
		a.read(cache, func(*outline.Tree) {})
	}
	kept := 0
	for _, a := range list {
		if cache.Has(a.id) {
			kept++
		}
	}
	if last := list[len(list)-1].id; kept == 0 || kept == len(list) || !cache.Has(last) {
		t.Errorf("%d of %d trees are kept, want fewer than all, and the last one", kept, len(list))
	}
}
