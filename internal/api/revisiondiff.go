package api

// RevisionDiff says how two revisions of a project differ.
type RevisionDiff struct {
	From      string             `json:"from"` // names of the revisions
	To        string             `json:"to"`
	Files     List[FileDiff]     `json:"files"`     // those that differ, by path; the first 2,000
	FileCount int                `json:"fileCount"` // how many differ
	Workflows List[WorkflowDiff] `json:"workflows"` // those that differ, by name
}

// FileDiff is a file or link that two revisions do not have alike.
type FileDiff struct {
	Path    string  `json:"path"`
	OldPath *string `json:"oldPath"` // of a renamed one
	Status  string  `json:"status"`  // "added", "removed", "changed", "renamed" or "mode"
	Added   *int    `json:"added"`   // lines; nil where they are not counted: for binary and large files
	Removed *int    `json:"removed"`
	Binary  bool    `json:"binary"`
}

// WorkflowDiff says how a workflow differs.
type WorkflowDiff struct {
	Name      string         `json:"name"`
	Status    string         `json:"status"`   // "added", "removed" or "changed"
	Schedule  *ValueDiff     `json:"schedule"` // nil if it is the same
	Timezone  *ValueDiff     `json:"timezone"`
	Tasks     List[TaskDiff] `json:"tasks"` // those that differ, in the order of the workflow; the first 500
	TaskCount int            `json:"taskCount"`
}

// TaskDiff says how a task differs.
type TaskDiff struct {
	Task   string        `json:"task"`   // its full name
	Status string        `json:"status"` // "added", "removed", "changed", or "moved" to another place in the order
	Keys   List[KeyDiff] `json:"keys"`   // those that differ, of a changed task
	Place  *string       `json:"place"`  // file:line:column in the newer revision that has it
}

// KeyDiff is a key with another value.
type KeyDiff struct {
	Key string `json:"key"`
	ValueDiff
}

// ValueDiff is a value before and after, as JSON; nil where there is none. Long ones are cut.
type ValueDiff struct {
	From *string `json:"from"`
	To   *string `json:"to"`
}
