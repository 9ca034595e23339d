package api

// IDName refers to a project, or to a workflow that is stored.
type IDName struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
}

// NameOptID refers to a workflow that may not be stored; then it has no id.
type NameOptID struct {
	Name string `json:"name"`
	ID   *ID    `json:"id"`
}
