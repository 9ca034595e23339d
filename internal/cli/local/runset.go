package local

import (
	"github.com/trowel-project/trowel/internal/cli/cmd"
	"github.com/trowel-project/trowel/internal/dig"
	"github.com/trowel-project/trowel/internal/localrun"
)

// newRunSets reads --start, --goal, --end and --rerun. The errors are those of matchTask. In a subtree, patterns match
// the names of tasks without the ancestors that were dropped.
func newRunSets(tasks []dig.Task, args *cmd.Arguments) (localrun.Selection, error) {
	seen := withoutAncestors(tasks)
	s := localrun.Selection{All: true, Any: true}
	if args.Given("--rerun") {
		s.Any, s.Resume = false, nil
	}
	if start := args.Text("--start"); start != "" {
		at, err := matchTask(start, seen)
		if err != nil {
			return s, err
		}
		s.Any, s.Resume = false, before(tasks, at)
	}
	if goal := args.Text("--goal"); goal != "" {
		at, err := matchTask(goal, seen)
		if err != nil {
			return s, err
		}
		s.Any, s.Resume = false, before(tasks, at)
		s.All, s.Run = false, before(tasks, at)
		for i := range tasks {
			if within(tasks, i, at) {
				s.Run[tasks[i].FullName] = true
			}
		}
	}
	if end := args.Text("--end"); end != "" {
		at, err := matchTask(end, seen)
		if err != nil {
			return s, err
		}
		s.All, s.Run = false, before(tasks, at)
	}
	return s, nil
}

// before returns what comes before a task: its ancestors, the upstreams of the task and of its ancestors, and all tasks
// below these upstreams.
func before(tasks []dig.Task, at int) map[string]bool {
	marked := make([]bool, len(tasks)) // upstreams, and then what is below them
	names := map[string]bool{}
	for t := at; t >= 0; t = tasks[t].Parent {
		if t != at {
			names[tasks[t].FullName] = true
		}
		markUpstreams(tasks, t, marked)
	}
	for i := range tasks { // a parent stands before its children
		if p := tasks[i].Parent; p >= 0 && marked[p] {
			marked[i] = true
		}
		if marked[i] {
			names[tasks[i].FullName] = true
		}
	}
	return names
}

func markUpstreams(tasks []dig.Task, at int, marked []bool) {
	for _, up := range tasks[at].Upstreams {
		if !marked[up] {
			marked[up] = true
			markUpstreams(tasks, up, marked)
		}
	}
}

// within reports whether a task is another task or below it.
func within(tasks []dig.Task, i, root int) bool {
	for ; i >= 0; i = tasks[i].Parent {
		if i == root {
			return true
		}
	}
	return false
}

// subtree reduces the tasks to the root, one task and what is below it. That task becomes a child of
// the root without upstreams (server 1.9.2, "+task").
func subtree(tasks []dig.Task, at int) []dig.Task {
	if at == 0 {
		return tasks
	}
	kept := []dig.Task{tasks[0]}
	places := map[int]int{}
	for i := at; i < len(tasks); i++ {
		if !within(tasks, i, at) {
			break // pre-order: what is below a task follows it
		}
		t := tasks[i]
		places[i] = len(kept)
		if i == at {
			t.Parent, t.Upstreams = 0, nil
		} else {
			t.Parent = places[t.Parent]
			ups := make([]int, len(t.Upstreams))
			for j, up := range t.Upstreams {
				ups[j] = places[up]
			}
			t.Upstreams = ups
		}
		kept = append(kept, t)
	}
	return kept
}

// withoutAncestors returns the tasks of a subtree under the names that patterns see: without the
// ancestors that were dropped.
func withoutAncestors(tasks []dig.Task) []dig.Task {
	seen := make([]dig.Task, len(tasks))
	for i, t := range tasks {
		if t.Parent >= 0 {
			t.FullName = seen[t.Parent].FullName + t.Name
		}
		seen[i] = t
	}
	return seen
}
