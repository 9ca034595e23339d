package localrun

// Selection say which tasks of a run are passed over (language A16, server 1.9.2). Both hold names
// that the workflow states; tasks that are generated at run time are in neither.
type Selection struct {
	All    bool            // every task runs: there is no run set
	Run    map[string]bool // full names that run; others succeed with nothing
	Any    bool            // every task may use what it left before: there is no resume set
	Resume map[string]bool // full names that may
}

// runs reports whether a task is asked for.
func (s *Selection) runs(task string) bool { return s.All || s.Run[task] }
