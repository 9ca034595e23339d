package api

// IDName refers to a project, or to a workflow that is stored.
type IDName struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
}

// NameOptID refers to a workflow. It has no id if the workflow is not stored.
type NameOptID struct {
	Name string `json:"name"`
	ID   *ID    `json:"id"`
}
