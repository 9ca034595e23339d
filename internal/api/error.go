package api

// Error is the body of an answer that is an error (server 2.5).
type Error struct {
	Message  *string   `json:"message"` // null if the cause has no message
	Status   int       `json:"status"`
	Findings []Finding `json:"findings,omitempty"` // all that is wrong in a refused project; Digdag reports only the first mistake
	Code     string    `json:"code,omitempty"`     // a word for programs; only on Trowel's own paths (docs/rest.md)
	Where    string    `json:"where,omitempty"`    // the part of the request that is wrong; only on Trowel's own paths
	Hint     string    `json:"hint,omitempty"`     // how to go on; only on Trowel's own paths
}

// Finding is one mistake or risk in a project.
type Finding struct {
	File     string `json:"file"`     // slash path from the project's root
	Line     int    `json:"line"`     // from 1; 0 if it is about the file or folder as a whole
	Column   int    `json:"column"`   // from 1, in characters
	Severity string `json:"severity"` // "error" or "warning"
	Rule     string `json:"rule"`     // names the kind of mistake, for programs
	Message  string `json:"message"`
	Source   string `json:"source"`         // the line itself, or its beginning
	Hint     string `json:"hint,omitempty"` // how to mend it
	ID       string `json:"id,omitempty"`   // names a finding about what Trowel adds to the language
}
