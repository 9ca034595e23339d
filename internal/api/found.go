package api

// Found is what a search over everything found, by kind. Kinds of which nothing was found are left out.
type Found struct {
	Groups List[FoundGroup] `json:"groups"`
}

// FoundGroup is what was found of one kind: project, workflow, session, attempt, task, pool, agent or revision.
type FoundGroup struct {
	Kind  string          `json:"kind"`
	Items List[FoundItem] `json:"items"` // the best first
}

// FoundItem is one thing.
type FoundItem struct {
	ID     string `json:"id"`     // its id, or its name if it has none
	Title  string `json:"title"`  // its name
	Detail string `json:"detail"` // what it belongs to, for people
	Path   string `json:"path"`   // of its page in the UI
}
