package cli

// runSets say which tasks of a run are passed over (language A16, server 1.9.2). Both hold names
// that the workflow states; tasks that are generated at run time are in neither.
type runSets struct {
	all    bool            // every task runs: there is no run set
	run    map[string]bool // full names that run; others succeed with nothing
	any    bool            // every task may use what it left before: there is no resume set
	resume map[string]bool // full names that may
}

// runs reports whether a task is asked for.
func (s *runSets) runs(task string) bool { return s.all || s.run[task] }
